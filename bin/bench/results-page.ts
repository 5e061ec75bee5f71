import { columns } from '../command-line/print.ts';
import type { Row } from './figures.ts';

/** RESULTS.md: how to read the figures, and the figures. */
export const resultsPage = (rows: readonly Row[], summary: string, run: string): string =>
  `# Results of the benchmark

Written by \`npm run bench\`: ${run}. ${summary}

Each row compares a function with another, which the same run measures in turns with it (\`ms\` has both medians):

- **floor**: a function that only gets one item, with the clients of the SDK that ours loads.
- **peer**: the same endpoint with Powertools' \`makeHandlerIdempotent\`, without authentication and validation
  ([resend](peer-resend-offer.ts), [approve](peer-approve-payment-request.ts)).
- **trimmed**: the function itself, against one without the trims of \`lib/bundles/trims.ts\`.

Cold is from the import of the module to the first response, in a fresh process, over TLS; on AWS a sandbox, a runtime and
a download come first. Away is a warm function, with 5 ms between it and DynamoDB Local.

\`\`\`text
${columns(rows)}
\`\`\`
`;
