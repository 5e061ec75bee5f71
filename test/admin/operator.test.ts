import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { keys } from '../../functions/store/keys.ts';
import { read } from '../../functions/store/read.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { stack } from '../support/running-stack.ts';
import { serverOf } from '../support/servers.ts';
import { runCommand } from './run-admin.ts';

const principal = 'arn:aws:sts::123456789012:assumed-role/Operators/jane';

test("on a deployed stage the operator is the credentials' AWS principal", async () => {
  const asked: string[] = [];
  const aws = await serverOf(async (request, response) => {
    const action = new URLSearchParams(await text(request)).get('Action') ?? '';
    asked.push(action);
    const result = {
      DescribeStacks: `<Stacks><member><Outputs><member><OutputKey>TableName</OutputKey><OutputValue>${stack.table}</OutputValue></member></Outputs></member></Stacks>`,
      GetCallerIdentity: `<Arn>${principal}</Arn>`,
    }[action];
    response
      .setHeader('Content-Type', 'text/xml')
      .end(`<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`);
  });
  const id = `acc_${newOpaque()}`;
  const run = runCommand(
    'bin/admin.ts',
    [
      ...['--stage', 'dev', '--region', 'eu-central-1'],
      ...['account', 'create', '--id', id, '--name', 'Acme'],
    ],
    '',
    {
      ...childEnvironment(),
      AWS_ENDPOINT_URL_CLOUDFORMATION: aws,
      AWS_ENDPOINT_URL_STS: aws,
      AWS_ENDPOINT_URL_DYNAMODB: stack.endpoints.dynamodb,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    },
  );

  expect(await run).toMatchObject({ code: 0, stdout: `${id}\n` });
  expect(asked).toEqual(['DescribeStacks', 'GetCallerIdentity']);
  expect((await read(keys.account(id)))?.author).toEqual({
    actor: `operator:${principal}`,
    request: expect.stringMatching(/^run_/),
    version: 'v1',
  });
});
