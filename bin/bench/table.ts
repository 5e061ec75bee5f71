import { columns } from '../command-line/print.ts';
import { isMet, type Row } from './row.ts';

/** The rows as a table, with a line each. */
export const tableOf = (rows: readonly Row[]): string =>
  columns(
    rows.map((row) => ({
      what: row.what,
      against: row.against,
      ms: row.medians,
      ratio: figure(row.measured.median),
      quartiles: `${figure(row.measured.lower)}–${figure(row.measured.upper)}`,
      'at most': `${row.target ?? ''}${isMet(row) === false ? ' exceeded' : ''}`,
    })),
  );

/** Three digits that count; more would be noise. */
export const figure = (value: number): string =>
  value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
