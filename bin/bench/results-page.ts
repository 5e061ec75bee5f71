import type { Row } from './row.ts';
import { tableOf } from './table.ts';

/** RESULTS.md: how to read the figures, and the figures. */
export const resultsPage = (rows: readonly Row[], summary: string, run: string): string =>
  `# Results of the benchmark

Written by \`npm run bench\`: ${run}. ${summary}

Each row compares a function with another, which the same run measures in turns with it (\`ms\` has both medians). On a
quiet machine two runs differ by a hundredth, and of a cold start by a tenth.

- **cold**: from the import of the module to the first response, in a fresh process, over TLS, against a function that only
  gets one item with the SDK. On AWS a sandbox, a runtime and a download come first.
- **untrimmed**: a function without the trims of \`lib/bundles/trims.ts\`, against itself with all.
- **away**: a warm function, with 5 ms between it and DynamoDB Local, against \`resend-offer\` without a key.

\`\`\`text
${tableOf(rows)}
\`\`\`
`;
