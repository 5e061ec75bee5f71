import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { childEnvironment } from '../../test/support/child-environment.ts';
import { root } from '../../test/support/start-local-run.ts';
import { program as admin } from '../admin/program.ts';

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The programs of this project that npm starts, by their scripts. */
const programs = Object.entries<string>(scripts).flatMap(([script, command]) => {
  const [path] = /\S+\.ts$/.exec(command) ?? [];
  return path ? [{ script, command: [process.execPath, path] }] : [];
});

const ciScripts = globSync('.ci/*', { cwd: root })
  .filter((path) => readFileSync(join(root, path), 'utf8').startsWith('#!'))
  .map((path) => ({ script: path, command: ['bash', path] }));

const run = async (
  [file = '', ...args]: readonly string[],
  variables: Record<string, string> = {},
) => {
  const child = spawn(file, args, { cwd: root, env: { ...childEnvironment(), ...variables } });
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr };
};

describe.each([...programs, ...ciScripts])('$script', ({ script, command }) => {
  test('--help says what it does, and does nothing', async () => {
    const { code, stdout, stderr } = await run([...command, '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(script.startsWith('.ci/') ? /^[A-Z][\s\S]+\.\n/ : 'Usage: npm ');
  });

  test('refuses what it does not know', async () => {
    // What fuzz does not know is for schemathesis, which refuses it.
    if (script === '.ci/fuzz') return;
    const { code, stdout, stderr } = await run([...command, '--nonsense']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: unknown \w+ '--nonsense'/);
  });
});

/** Whether npm does not have the option too. */
const isOwn = (option: string) => !['--json', '--yes', '--workspace', '--verbose'].includes(option);

/** The options in a help text that npm does not have too. */
const ownOptions = (help: string): string[] =>
  [...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => String(option)).filter(isOwn);

/** How npm names the variable of an option. */
const variableOf = (option: string) => `npm_config_${option.slice(2).replaceAll('-', '_')}`;

describe.each(programs)('$script', ({ command }) => {
  test('refuses each option that npm has kept for itself', async () => {
    const options = ownOptions((await run([...command, '--help'])).stdout);
    const others = ['--region', '--stage', '--port', '--case', '--json', '--yes', '--workspace'];
    const foreign = others.filter((each) => !options.includes(each)).map(variableOf);
    const variables = options.map(variableOf);
    const set = Object.fromEntries([...variables, ...foreign].map((name) => [name, '']));
    const { code, stderr } = await run([...command, 'word'], set);
    expect(code).toBe(2);
    const sentence = `error: Nothing was done: npm kept ${options.join(' and ')}, because`;
    expect(stderr).toContain(options.length > 0 ? sentence : 'error: too many arguments');

    const given = options.map((option) => `${option}=`);
    expect((await run([...command, ...given, 'word'], set)).stderr).not.toContain('npm kept');
  });
});

describe('npm run', () => {
  test.each([
    ['admin --stage=prod -- token revoke tok_1', 'admin -- token revoke tok_1 --stage prod'],
    ['admin token revoke tok_1 --stage=prod', 'admin -- token revoke tok_1 --stage prod'],
    ['admin --stage prod token revoke tok_1', 'admin -- token revoke tok_1 --stage <stage>'],
    ['admin --no-stage verify', 'admin -- verify --stage <stage>'],
    ['admin --dry-run events publish', 'admin -- events publish --dry-run'],
    ['admin --no-send offer import offers.csv', 'admin -- offer import offers.csv'],
    ['admin --name=A&B account create', "admin -- account create --name 'A&B'"],
    ['smoke --url=http://x --token=secret', 'smoke -- --url http://x --token <token>'],
    ['openapi --record', 'openapi -- --record'],
  ])('%s says how it should be', async (given, corrected) => {
    const args = ['run', '--silent', ...given.split(' ')];
    const { code, stdout, stderr } = await run(['npm', ...args]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(` Run: npm run ${corrected}\n`);
    expect(stderr).not.toContain('secret');
  });

  test('leaves alone what the command line has too, and what npm has', async () => {
    const args = 'run --silent admin --stage=x --yes --json -- --stage=prod nonsense';
    const { code, stderr } = await run(['npm', ...args.split(' ')]);
    expect([code, stderr]).toEqual([2, "error: unknown command 'nonsense'\n"]);
  });
});

const optionsOf = ({ options, commands }: Command): string[] => [
  ...options.map(({ long }) => String(long)),
  ...commands.flatMap(optionsOf),
];

test('npm keeps no option of a command of operators', async () => {
  const options = [...new Set(optionsOf(admin))].filter(isOwn);
  expect(options).toContain('--recipient');
  const set = Object.fromEntries(options.map((option) => [variableOf(option), 'x']));
  const { code, stderr } = await run([process.execPath, 'bin/admin.ts', 'verify'], set);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`kept ${options.join(' and ')},`)]);
});
