/** RESULTS.md: how to read the figures, and the figures. */
export const resultsPage = (table: string, summary: string, run: string): string =>
  `# Results of the benchmark

Written by \`npm run bench\` in one run: ${run}. ${summary}

- **Ratios.** Each is a ratio to what the same run measures in turns with it, as a median with its quartiles. On a quiet
  machine two runs differ by a hundredth or two.
- **Cold starts.** The floor is a function that holds only the DynamoDB SDK and gets one item. The time runs from the
  import of the module to the first answer, in a fresh process, over TLS, against a warm DynamoDB Local. The lower bars
  are one function without one of its trims (\`lib/bundles/trims.ts\`).
- **5 ms away.** A warm function, with 5 ms between it and DynamoDB Local: what counts then is how often it waits.
- **Not AWS.** There a cold start also has a sandbox, a runtime and a download.

${table}

![Cold starts: the SDK alone, our functions, and one function without each trim](cold-starts.svg)
`;
