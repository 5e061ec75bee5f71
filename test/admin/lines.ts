import { newOpaque } from '../../functions/runtime/identity.ts';
import { file } from './run-admin.ts';

/** A line of a file of payment requests. */
export const valid = (fields: object = {}) => ({
  id: `ptr_${newOpaque()}`,
  worker: 'wr_1',
  amount: '1250.00',
  currency: 'USD',
  reference: 'INV-1',
  period: { starts: '2026-10-01', ends: '2026-10-31' },
  ...fields,
});

/** Writes a file of these lines as JSON. */
export const jsonl = (...lines: unknown[]) =>
  file('lines.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));

/** The command that imports a file of payment requests. */
export const importing = (path: string, workspace: string, ...more: string[]) =>
  ['payment-request', 'import', path, '--workspace', workspace, ...more] as const;
