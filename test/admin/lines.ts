import { newOpaque } from '../../functions/runtime/identity.ts';
import { workspaceItem } from '../../functions/store/workspaces.ts';
import { author } from '../support/test-author.ts';
import { file, newTable, stackFile } from './run-admin.ts';

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

/**
 * A workspace in a table of its own, for many lines: in the service's table each write goes through
 * its stream, and other tests read all items.
 */
export const separateWorkspace = async () => {
  const [id, account, created] = ['wsp_1', 'acc_1', '2026-11-01T00:00:00.000Z'];
  const owner = { id, account, name: 'Company', created };
  const table = await newTable([{ ...workspaceItem(owner), author }]);
  return { workspace: id, table, at: stackFile({ table }) };
};

/** Writes a file of these lines as JSON. */
export const jsonl = (...lines: unknown[]) =>
  file('lines.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));

/** The command that imports a file of payment requests. */
export const importArguments = (path: string, workspace: string, ...more: string[]) =>
  ['payment-request', 'import', path, '--workspace', workspace, ...more] as const;
