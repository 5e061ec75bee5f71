import { figure, markdownTable, type resultOf, targetOf } from './markdown-table.ts';

type Result = ReturnType<typeof resultOf>;

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
  readonly rows: readonly Result[];
}

/** The kinds of figures that the page shows besides cold starts; bench.json has all of them. */
const kindsShown = ['Whole service', ''];

/** RESULTS.md: how to read the figures, the machine, and the figures that a reader decides by. */
export const resultsPage = ({ tookS, machine, rows }: Results): string =>
  `# Results of the benchmark

Written by \`npm run bench\`; do not edit. One run of ${tookS} s on ${machine.cores} shared cores of an ${machine.processor},
${machine.memoryGb} GB, ${machine.system}, Node.js ${machine.node.slice(1)}; the load average before it was ${machine.loadBefore}.
[\`bench.json\`](bench.json) has every figure with its quartiles.

## How to read it

- **Ratios.** Each figure is a ratio to a floor that the same run measures in turns with it, as a median. On a quiet
  machine two runs differ by a hundredth or two.
- **Cold starts.** The floor is a function that holds only the DynamoDB SDK, gets one item, and is bundled by esbuild.
  The time runs from the import of the module to the first answer, in a fresh process, over TLS, against a warm
  DynamoDB Local.
- **Whole service.** 16 clients over HTTP; the floor is the same operations in DynamoDB alone.
- **Not AWS.** There a cold start also has a sandbox, a runtime and a download, and DynamoDB is a network away.

## Cold starts

${markdownTable(
  ['function', 'time', 'memory', 'TLS connections', 'target', 'met'],
  rowsOf(rows, 'Cold start').map((row) => [
    labelOf(row),
    `${figure(row.median)} ×`,
    ...['Memory', 'TLS connections of a cold start'].map((kind) => {
      const same = rowsOf(rows, kind).find(({ what }) => what === row.what);
      return same ? `${figure(same.median)}${same.unit === '×' ? ' ×' : ''}` : '';
    }),
    ...judgement(row),
  ]),
)}

![Cold starts: the SDK alone, our functions, and one function without each trim](cold-starts.svg)

The lower bars are one function without one of its trims (\`lib/bundles/trims.ts\`).

## Other figures

${markdownTable(
  ['what', 'measured', 'target', 'met'],
  kindsShown
    .flatMap((kind) =>
      rowsOf(rows, kind).map((row) => ({ ...row, what: kind ? `${kind}: ${row.what}` : row.what })),
    )
    .map((row) => [labelOf(row), `${figure(row.median)} ${row.unit}`, ...judgement(row)]),
)}
`;

/** The rows of a kind, such as `Cold start: …`, without its name; with '', those of no kind. */
const rowsOf = (rows: readonly Result[], kind: string): readonly Result[] =>
  rows
    .filter(({ what }) => (/^(.*?): /.exec(what)?.[1] ?? '') === kind)
    .map((row) => ({ ...row, what: row.what.replace(`${kind}: `, '') }));

const labelOf = ({ what, note }: Result) =>
  note ? `${what} (${note.replace(/, CPU .*/, '')})` : what;

const judgement = ({ target, unit, met }: Result) => [
  targetOf({ target, unit }),
  met === undefined ? '' : met ? 'yes' : 'NO',
];
