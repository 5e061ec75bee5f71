import { isMet, type Row } from './row.ts';

/** The rows as a table, with a line each. */
export const tableOf = (rows: readonly Row[]): string => {
  const cells = [
    ['what', 'ms', 'ratio', 'quartiles', 'at most'],
    ...rows.map((row) => [
      row.what,
      row.medians,
      figure(row.measured.median),
      `${figure(row.measured.lower)}–${figure(row.measured.upper)}`,
      `${row.target ?? ''}${isMet(row) === false ? ' exceeded' : ''}`,
    ]),
  ];
  const widths = cells[0]?.map((_, column) =>
    Math.max(...cells.map((line) => line[column]?.length ?? 0)),
  );
  const lineOf = (line: readonly string[]) =>
    line.map((cell, column) => cell.padEnd(widths?.[column] ?? 0)).join('  ');
  return cells.map((line) => lineOf(line).trimEnd()).join('\n');
};

/** Three digits that count; more would be noise. */
export const figure = (value: number): string =>
  value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
