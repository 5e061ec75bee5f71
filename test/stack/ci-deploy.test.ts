import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { childEnvironment } from '../support/child-environment.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const url = 'https://api.company.example/';
const lastRun = `smoke --stage prod --url ${url} --junit smoke.xml`;

/**
 * Runs the script with a wfp and an npx that write down what they are to run, a deployment that
 * ends with this code, and an AWS CLI that reports this about the stack.
 */
const ciDeploy = ({
  code = 0,
  stack = 'echo UPDATE_COMPLETE',
  keepData = 'false',
  variables = {},
} = {}) => {
  const directory = temporaryDirectory();
  const calls = join(directory, 'calls');
  const commands = {
    'bin/wfp': `echo "$@" >> "${calls}"`,
    npx: `echo "$@" >> "${calls}"\nexit ${code}`,
    aws: `[ "$4" = WorkforcePayments-prod ] || exit 9
      case "$6" in
        *KeepData*) echo ${keepData} ;;
        *ApiGatewayUrl*) echo ${url} ;;
        *) ${stack} ;;
      esac`,
    sleep: '',
  };
  cpSync('.ci', join(directory, '.ci'), { recursive: true });
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  mkdirSync(join(directory, 'bin'));
  writeFileSync(join(directory, 'bin/stages.ts'), 'export const stages = { prod: {} };');
  for (const [name, script] of Object.entries(commands)) {
    writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  const PATH = `${directory}${delimiter}${process.env.PATH}`;
  const env = { ...childEnvironment(), ...variables, PATH };
  const { status, stdout } = spawnSync('bash', ['.ci/deploy', 'prod'], {
    cwd: directory,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, calls: readFileSync(calls, 'utf8').trim().split('\n') };
};

test('needs no confirmation: in the background, `cdk deploy` takes silence for a no and for success', () => {
  const { status, stdout, calls } = ciDeploy();
  expect([status, stdout]).toEqual([0, '']);
  expect(calls).toContain('cdk deploy WorkforcePayments-prod --require-approval never');
  expect(calls.at(-1)).toBe(lastRun);
});

test('tests a stage that keeps its data with a token, and never through its table', () => {
  const variables = { WFP_TOKEN: 'wfp_test_x', SMOKE_WORKSPACE: 'wsp_test_x' };
  const { status, calls } = ciDeploy({ variables, keepData: 'true' });
  expect([status, calls.at(-1)]).toEqual([
    0,
    `smoke --url ${url} --workspace wsp_test_x --junit smoke.xml`,
  ]);
  expect(calls.join()).not.toContain('--stage');
  const untested = ciDeploy({ keepData: 'true' });
  expect([untested.status, untested.calls.join()]).toEqual([1, expect.not.stringMatching('smoke')]);
});

test('fails with the deployment, without a last run of the tests', () => {
  const { status, calls } = ciDeploy({ code: 3 });
  expect([status, calls.at(-1)]).toEqual([3, expect.not.stringContaining('--junit')]);
});

test.each([
  "echo 'Stack with id WorkforcePayments-prod does not exist' >&2; exit 254",
  'echo ROLLBACK_COMPLETE',
  'echo REVIEW_IN_PROGRESS',
  'echo CREATE_FAILED',
])(
  'ends with success, and says so, where a new stage has no standing test workspace yet: %s',
  (stack) => {
    const { status, stdout, calls } = ciDeploy({ stack, keepData: 'true' });
    expect([status, calls.length]).toEqual([0, 1]);
    expect(stdout).toMatch(/not tested: create its standing test workspace/);
  },
);

test.each(['echo UPDATE_ROLLBACK_COMPLETE', "echo 'Unable to locate credentials' >&2; exit 253"])(
  'fails where any other stage has no test workspace: %s',
  (stack) => {
    expect(ciDeploy({ stack, keepData: 'true' }).status).toBe(1);
  },
);
