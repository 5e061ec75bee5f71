import { expect, test } from 'vitest';
import { newOpaque } from '../../../functions/runtime/stamp.ts';
import { keys } from '../../../functions/store/keys.ts';
import { read } from '../../../functions/store/read.ts';
import { stack } from '../../../test/support/running-stack.ts';
import { adminScript, principal, runProcess, stageOf } from './run-admin.ts';

test("on a deployed stage the operator is the credentials' AWS principal", async () => {
  const { asked, environment } = await stageOf({ TableName: stack.table });
  const id = `acc_${newOpaque()}`;
  const place = ['--stage', 'dev', '--region', 'eu-central-1'];
  const args = [...place, 'account', 'create', '--id', id, '--name', 'Acme'];
  const run = runProcess(adminScript, args, '', environment);

  expect(await run).toMatchObject({ code: 0, stdout: `${id}\n` });
  expect(asked).toEqual(['DescribeStacks', 'GetCallerIdentity']);
  expect((await read(keys.account(id)))?.author).toEqual({
    actor: `operator:${principal}`,
    request: expect.stringMatching(/^run_/),
    version: 'v1',
  });
});
