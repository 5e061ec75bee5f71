import { type resultOf, tableOf } from './markdown-table.ts';

/** What `npm run bench` writes to bench.json, as far as the page shows it. */
export interface Results {
  readonly tookS: number;
  readonly machine: {
    readonly processor?: string | undefined;
    readonly cores: number;
    readonly memoryGb: number;
    readonly system: string;
    readonly node: string;
    readonly loadBefore: number;
  };
  readonly rows: readonly ReturnType<typeof resultOf>[];
}

/** RESULTS.md: how the figures are measured, the machine, and a table for each kind of figure. */
export const resultsPage = ({ tookS, machine, rows }: Results): string => {
  const kindOf = ({ what }: { what: string }) => /^(.*?): /.exec(what)?.[1] ?? 'Other figures';
  const sections = [...Map.groupBy(rows, kindOf)]
    .sort(([one], [other]) => Number(one === 'Other figures') - Number(other === 'Other figures'))
    .map(([kind, all]) => {
      const named = all.map((row) => ({ ...row, what: row.what.replace(`${kind}: `, '') }));
      return `## ${kind}\n\n${tableOf(named.map(rowOf))}\n`;
    });
  return `# Results of the benchmark

Written by \`npm run bench\`, with [\`bench.json\`](bench.json) and the chart; do not edit. One run of
${tookS} s on ${machine.cores} shared cores of an ${machine.processor}, ${machine.memoryGb} GB, ${machine.system},
Node.js ${machine.node.slice(1)}. The load average before the run was ${machine.loadBefore}.

## How to read it

A figure in milliseconds means little on another machine. So each figure is a ratio to a floor that
the same run measures in turns with it. For cold starts the floor is a function that holds only the
DynamoDB SDK, gets one item, and is bundled by esbuild. The time runs from the import of the module to
the first answer, in a fresh process that has loaded as little of Node.js as Lambda's runtime has,
against a DynamoDB Local that is warm. As on AWS, each connection begins with a TLS handshake, for the
floor too: a proxy in a process of its own ends TLS with an RSA certificate, which \`openssl\` makes.
Figures are medians with quartiles; another run may differ by a hundredth or two.

A real Lambda is not measured. There a cold start begins earlier (sandbox, runtime, download of the
code), the CPU is a share that depends on the memory, and DynamoDB is a network away. DynamoDB Local is
not DynamoDB: its times hold only as ratios. What does not depend on time, tests assert:
what requests cost in calls and units, however long a list is (\`test/functions/costs.test.ts\`), the sizes of bundles
(\`bundles.test.ts\` beside it), and that a 404 does not wait for another tenant's data
(\`foreign-requests.test.ts\`).

![Cold starts: the SDK alone, our functions, and one function without each trim](cold-starts.svg)

The lower bars are one function without one of its trims (\`lib/bundles/trims.ts\`). The savings do not add up
exactly, because two trims may save the same module.

${sections.join('\n')}`;
};

const rowOf = ({
  median,
  lowerQuartile,
  upperQuartile,
  runs,
  ...row
}: Results['rows'][number]) => ({
  ...row,
  measured: {
    median,
    lower: lowerQuartile ?? median,
    upper: upperQuartile ?? median,
    runs: runs ?? 1,
  },
});
