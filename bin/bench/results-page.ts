import { tableOf } from './markdown-table.ts';
import type { Row } from './row.ts';

/** RESULTS.md: how to read the figures, and the figures. */
export const resultsPage = (rows: readonly Row[], summary: string, run: string): string =>
  `# Results of the benchmark

Written by \`npm run bench\` in one run: ${run}. ${summary}

Each figure is a median, and a ratio is to what the same run measures in turns with it. On a quiet
machine two runs differ by a hundredth, and of a cold start by a tenth.

- **Cold start**: from the import of the module to the first response, in a fresh process, over TLS, against a function that
  holds only the DynamoDB SDK and gets one item. On AWS it also has a sandbox, a runtime and a download.
- **Without trims**: a function without those of \`lib/bundles/trims.ts\`, against itself with all.
- **5 ms away**: a warm function, with 5 ms between it and DynamoDB Local, against \`resend-offer\` without a key.

${tableOf(rows)}
`;
