import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { childEnvironment } from './support/child-environment.ts';

const script = join(import.meta.dirname, 'changed.ts');

/** The words of the command that runs after files have changed, and others have been added. */
const commandAfter = (changed: readonly string[], added: readonly string[] = []): string[] => {
  const directory = mkdtempSync(join(tmpdir(), 'changed-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const env = childEnvironment();
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: directory, encoding: 'utf8', env });
  const write = (path: string) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    appendFileSync(join(directory, path), 'A line.\n');
  };
  for (const path of changed) write(path);
  run('git', 'init', '--quiet');
  run('git', 'add', '.');
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  run('git', ...author, 'commit', '--quiet', '--allow-empty', '--message', 'Before');
  for (const path of [...changed, ...added]) write(path);
  return run(process.execPath, script, '--since', 'HEAD', '--list').trim().split(' ');
};

/** The tests that are run after files of a repository have changed, and others have been added. */
const testsAfter = (...files: Parameters<typeof commandAfter>): string[] =>
  commandAfter(...files).filter((word) => /^(test|lib)\//.test(word));

test('a new endpoint runs the tests of routes, of the template and of the document', () => {
  const tests = testsAfter(
    ['functions/domain/routes.ts', 'lib/stack.ts', 'lib/openapi/operations.ts', 'openapi.json'],
    ['functions/get-payment-request.ts', 'test/service/get-payment-request.test.ts'],
  );
  expect(tests).toContain('test/service/get-payment-request.test.ts');
  expect(tests).toEqual(expect.arrayContaining(['test/service', 'test/stack', 'test/openapi']));
  expect(
    tests.filter((each) => /^test\/$|admin|chaos|faults|smoke|start|local/.test(each)),
  ).toEqual([]);
});

test.each([
  ['functions/store/keys.ts', ['service', 'without-service']],
  ['lib/local/dynamodb/child-guard.ts', ['service', 'without-service', 'local-engine']],
])('a change of %s runs tests of the projects %j', (path, projects) => {
  const options = commandAfter([path]).filter((word) => word.startsWith('--project='));
  expect(options).toEqual(projects.map((name) => `--project=${name}`));
});

test.each([
  ['functions/store/keys.ts', ['test/', 'test/documents']],
  ['functions/approve-payment-request.ts', ['test/', 'test/documents']],
  ['lib/local/dynamodb/child-guard.ts', ['lib/local/test', 'test/', 'test/documents']],
  ['lib/alarms.ts', ['test/documents', 'test/service', 'test/stack']],
  ['bin/reference/mails.ts', ['test/', 'test/documents']],
  ['test/support/tenants.ts', ['test/', 'test/documents']],
  ['test/chaos/figures.ts', ['test/chaos/', 'test/documents']],
  ['README.md', ['test/admin/tenants', 'test/client/packed-client', 'test/documents']],
  ['lib/DEPLOY.md', ['test/documents']],
])('a change of %s runs %j', (path, tests) => {
  expect(testsAfter([path])).toEqual(tests);
});

test.each([
  [['--no-such-option'], 'error: unknown option'],
  [['--since', 'nosuchref', '--list'], 'fatal: bad revision'],
])('%j is refused with a line', (args, fault) => {
  const env = childEnvironment();
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], { env });
  expect([status, String(stderr)]).toEqual([1, expect.stringMatching(`^${fault}.*\n$`)]);
});

test('every path of its rules is the beginning of a path of the project', () => {
  const tracked = execFileSync('git', ['ls-files'], {
    encoding: 'utf8',
    env: childEnvironment(),
  }).split('\n');
  const paths = readFileSync(script, 'utf8').matchAll(/'((?:bin|functions|lib|test)\/[^']*)'/g);
  const unknown = Array.from(paths, ([, path = '']) => path).filter(
    (path) => !tracked.some((file) => file.startsWith(path)),
  );
  expect(unknown).toEqual([]);
});
