import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { findManager } from '../../../functions/store/managers.ts';
import { childEnvironment } from '../../../test/support/child-environment.ts';
import { warnOfSkipping } from '../../../test/support/skipping.ts';
import { newTenant } from '../../../test/support/tenants.ts';
import { adminScript, sharedStackFile } from './run-admin.ts';

const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux');
const noTerminal = hasScript ? undefined : 'There is no script of util-linux on this machine.';
warnOfSkipping('Confirmation on a terminal is', noTerminal);

/** Runs a command on a terminal, and types when it asks. */
const responded = async (keys: string, ...args: string[]) => {
  const command = [process.execPath, adminScript, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...childEnvironment(), WFP_STACK_FILE: sharedStackFile },
  });
  onTestFinished(() => void child.kill());
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const isAsked = output.includes('[y/N]');
    output += text;
    if (!isAsked && output.includes('[y/N]')) child.stdin.write(keys);
  });
  const [code] = await once(child, 'close');
  const [, after = ''] = output.split('[y/N] ');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: readline moves the cursor.
  return { code, after: after.replaceAll(/\u001b\[\??\d*[A-Za-z]|\r/g, '') };
};

test.skipIf(noTerminal).each([
  ['Ctrl-C', '\u0003', 130, '\nerror: Interrupted. Nothing was done.\n'],
  ['Ctrl-D', '\u0004', 1, '\nerror: Nothing was done.\n'],
  ['no', 'n\r', 1, 'n\nerror: Nothing was done.\n'],
  ['Return', '\r', 1, '\nerror: Nothing was done.\n'],
  ['yes', 'y\r', 0, 'y\nRemoved MANAGER.\n'],
])('%s at a confirmation', async (_, keys, code, expected) => {
  const { account, manager } = await newTenant();
  const ended = await responded(keys, 'manager', 'remove', manager, '--account', account);
  expect(ended).toEqual({ code, after: expected.replace('MANAGER', manager) });
  expect(!(await findManager(account, manager))).toBe(code === 0);
});
