import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { scan } from '../../bin/admin/table/scan.ts';
import { loadDemoData } from '../../bin/local-run/demo-data.ts';
import { adminAt, newTable, stackFile, violationsAt } from '../admin/run-admin.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { stack } from '../support/running-stack.ts';
import { useStoreOf } from '../support/store.ts';

const keysIn = async (TableName: string) =>
  (await Array.fromAsync(scan({ TableName }))).map(({ pk, sk }) => `${pk} ${sk}`).sort();

test('what lib/RESTORE.md begins with deletes items of the demo data, and puts them back', async () => {
  const table = await newTable();
  useStoreOf({ ...stack, table });
  await loadDemoData();
  const before = await keysIn(table);
  const at = stackFile({ table });
  const page = readFileSync('lib/RESTORE.md', 'utf8');
  const [, accident = '', restore = ''] = /```bash\n(.*)\n(.*)\n```/.exec(page) ?? [];

  await promisify(execFile)('bash', ['-euc', accident], {
    env: { ...childEnvironment(), WFP_STACK_FILE: at },
  });
  const after = await keysIn(table);
  const [, args = ''] = /npm run admin -- (.*?) *(#|$)/.exec(restore) ?? [];
  const { code, stderr } = await adminAt(at, ...args.split(' '), '--yes');

  expect(after.length).toBeLessThan(before.length - 1);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  expect(await keysIn(table)).toEqual(before);
  expect(await violationsAt(at)).toEqual([]);
});
