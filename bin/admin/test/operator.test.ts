import { expect, test } from 'vitest';
import { newOpaque } from '../../../functions/runtime/identity.ts';
import { keys } from '../../../functions/store/keys.ts';
import { read } from '../../../functions/store/read.ts';
import { stack } from '../../../test/support/running-stack.ts';
import { childEnvironment } from '../../testing/child-environment.ts';
import { adminScript, principal, runCommand, runProcess, stageOf } from './run-admin.ts';

test("on a deployed stage the operator is the credentials' AWS principal", async () => {
  const { asked, environment } = await stageOf({ TableName: stack.table });
  const id = `acc_${newOpaque()}`;
  const place = ['--stage', 'dev', '--region', 'eu-central-1'];
  const args = [...place, 'account', 'create', '--id', id, '--name', 'Acme'];
  const run = runCommand(args, '', environment);

  expect(await run).toMatchObject({ code: 0, stdout: `${id}\n` });
  expect(asked).toEqual(['DescribeStacks', 'GetCallerIdentity']);
  expect((await read(keys.account(id)))?.author).toEqual({
    actor: `operator:${principal}`,
    request: expect.stringMatching(/^run_/),
    version: 'v1',
  });
});

test('on the local run a user without a name is named by number', async () => {
  const noName = `import os from 'node:os';
    import { syncBuiltinESMExports } from 'node:module';
    os.userInfo = () => { throw new Error('uv_os_get_passwd returned ENOENT'); };
    syncBuiltinESMExports();`;
  const id = `acc_${newOpaque()}`;
  const environment = {
    ...childEnvironment(),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(noName)}`,
  };
  const args = ['account', 'create', '--id', id, '--name', 'Acme'];
  const run = await runProcess(adminScript, args, undefined, environment);

  expect(run).toMatchObject({ code: 0, stdout: `${id}\n` });
  expect((await read(keys.account(id)))?.author).toMatchObject({
    actor: `operator:${process.getuid?.()}`,
  });
});
