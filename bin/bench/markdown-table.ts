import { isMet, type Row } from './row.ts';

/** The rows as a table in Markdown, for a terminal too. */
export const tableOf = (rows: readonly Row[]): string => {
  const cells = [
    ['what', 'ratio', 'quartiles', 'at most'],
    ...rows.map((row) => [
      `${row.what} (${row.note})`,
      figure(row.measured.median),
      `${figure(row.measured.lower)}–${figure(row.measured.upper)}`,
      `${row.target ?? ''}${isMet(row) === false ? ' exceeded' : ''}`,
    ]),
  ];
  const widths = cells[0]?.map((_, column) =>
    Math.max(...cells.map((line) => line[column]?.length ?? 0)),
  );
  const [head = '', ...lines] = cells.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths?.[column] ?? 0)).join(' | ')} |`,
  );
  return [head, head.replaceAll(/[^|]/g, '-'), ...lines].join('\n');
};

/** Three digits that count; more would be noise. */
export const figure = (value: number): string =>
  value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
