import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { childEnvironment } from '../../../test/support/child-environment.ts';
import { stack } from '../../../test/support/running-stack.ts';
import { root } from '../../../test/support/start-local-run.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { newTenant } from '../../../test/support/tenants.ts';
import { sharedStackFile } from './run-admin.ts';

const run = promisify(execFile);
const program = join(root, 'bin/wfp');

test('bin/wfp runs through symbolic links, and reads and writes files where the caller stands', async () => {
  const cwd = join(temporaryDirectory(), 'of a caller');
  mkdirSync(cwd);
  symlinkSync(program, join(cwd, 'first'));
  symlinkSync('first', join(cwd, 'second'));
  copyFileSync(sharedStackFile, join(cwd, 'stack.json'));
  writeFileSync(join(cwd, 'offers.jsonl'), '{"version":1}');
  // Without a `node`.
  const env = { ...childEnvironment(), PATH: '/usr/bin:/bin' };
  const { workspace } = await newTenant();
  const importing = ['offer', 'import', 'offers.jsonl', '--workspace', workspace];
  const files = ['--stack-file', 'stack.json'];
  await expect(run('./second', [...importing, ...files], { cwd, env })).rejects.toMatchObject({
    stderr: expect.stringMatching(/^error: Nothing was imported.\nline 1: id: /),
  });

  const testing = ['smoke', '--url', stack.url, '--token', 'x', '--junit', 'smoke.xml', 'trail'];
  await expect(run('./second', testing, { cwd, env })).rejects.toMatchObject({
    code: 1,
    stderr: 'error: No test ran: each was skipped.\n',
  });
  expect(existsSync(join(cwd, 'smoke.xml'))).toBe(true);
});

test('without its packages, bin/wfp says what installs them', async () => {
  const clone = realpathSync(temporaryDirectory());
  mkdirSync(join(clone, 'bin'));
  copyFileSync(program, join(clone, 'bin/wfp'));
  await expect(run(join(clone, 'bin/wfp'))).rejects.toMatchObject({
    code: 1,
    stderr: `error: run \`npm ci\` in ${clone} first.\n`,
  });
});
