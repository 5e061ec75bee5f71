import { tableOf } from './markdown-table.ts';
import type { Row } from './row.ts';

/** RESULTS.md: how to read the figures, the figures, and a chart of those of cold starts. */
export const resultsPage = (rows: readonly Row[], summary: string, run: string): string =>
  `# Results of the benchmark

Written by \`npm run bench\` in one run: ${run}. ${summary}

- **Ratios.** Each is a ratio to what the same run measures in turns with it, as a median with its quartiles. On a quiet
  machine two runs differ by a hundredth or two.
- **Cold starts.** The floor is a function that holds only the DynamoDB SDK and gets one item. The time runs from the
  import of the module to the first answer, in a fresh process, over TLS, against a warm DynamoDB Local.
- **Trims.** One function without one of its trims (\`lib/bundles/trims.ts\`), as a multiple of itself with all.
- **5 ms away.** A warm function, with 5 ms between it and DynamoDB Local: what counts then is how often it waits.
- **Not AWS.** There a cold start also has a sandbox, a runtime and a download.

${tableOf(rows)}

\`\`\`text
The SDK alone, one GetItem                         ${bar(1)}
${rows.filter(isColdStart).map(chartLine).join('\n')}
\`\`\`
`;

const isColdStart = ({ what }: Row) => what.startsWith('Cold start: ');

const chartLine = ({ what, measured: { median } }: Row) => `${what.padEnd(50)} ${bar(median)}`;

const bar = (ratio: number) => `${'█'.repeat(Math.round(30 * ratio))} ${ratio.toFixed(2)}`;
