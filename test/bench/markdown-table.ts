import { isMet, type Row } from './row.ts';

/** The rows as a table in Markdown, which can be read on a terminal too. */
export const tableOf = (rows: readonly Row[]): string => {
  const cells = [
    ['what', 'measured', 'quartiles', 'runs', 'target', 'met'],
    ...rows.map((row) => [
      row.note ? `${row.what} (${row.note})` : row.what,
      `${figure(row.measured.median)} ${row.unit}`,
      row.measured.runs > 1 ? `${figure(row.measured.lower)}–${figure(row.measured.upper)}` : '',
      row.measured.runs > 1 ? String(row.measured.runs) : '',
      targetOf(row),
      { true: 'yes', false: 'NO', undefined: '' }[String(isMet(row))] ?? '',
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

/** A target, such as `≤ 0.9 ×`, or an empty text. */
export const targetOf = ({ target, unit }: Pick<Row, 'target' | 'unit'>): string => {
  if (!target) return '';
  return 'most' in target ? `≤ ${target.most} ${unit}` : `≥ ${target.least} ${unit}`;
};

/** The same for programs: every figure to five digits. */
export const resultOf = (row: Row) => {
  const { what, unit, target, note, measured } = row;
  const round = (value: number) => Number(value.toPrecision(5));
  const { median, lower, upper, runs } = measured;
  return {
    what,
    unit,
    median: round(median),
    ...(runs > 1 && { lowerQuartile: round(lower), upperQuartile: round(upper), runs }),
    ...(target && { target, met: isMet(row) }),
    ...(note && { note }),
  };
};

/** A table in Markdown, for a page that is generated. */
export const markdownTable = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
