import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Command } from 'commander';

const rules = `
- A test that has changed is concerned, and so are the tests beside a file of test/ that has.
- Every test that runs the service executes functions/, so a change there concerns all of them. A new
  route concerns the tests of every route, and a construct of lib/ those of the template and of the
  contract.
- A file of bin/, lib/openapi or lib/local concerns the tests of what it is part of.
- A new file that is no test concerns nothing by itself: what imports it has changed too.
- The tests of the documents always run. Those of npm run test:copies never do.

npm test runs every test.`;

/** Tests whose subject is the contract, or what the page says of it. */
const ofDocument = ['test/openapi', 'test/client', 'test/reference'];

type Rule = readonly [prefix: string, tests: readonly string[]];

/**
 * Which tests a file concerns, by the beginning of its path. The first rule that fits decides; a
 * file without a rule concerns every test but those of the local engine.
 */
const concerned: readonly Rule[] = [
  ['bin/admin/kinds', ['test/']],
  ['bin/admin/table', ['test/']],
  ['bin/admin', ['test/admin', 'test/chaos', 'test/releases', 'test/smoke']],
  ['bin/deploy.ts', ['test/start/deploy']],
  ['bin/smoke', ['test/smoke', 'test/service']],
  // Every test reads its mails with it.
  ['bin/reference/mails.ts', ['test/']],
  ['bin/reference', ['test/reference']],
  ['bin/local-run', ['test/start', 'test/reference', 'test/admin', 'test/openapi']],
  ['bin/local', ['test/start', 'test/reference']],
  ['bin/welcome.ts', ['test/start']],
  ['bin/start-progress.ts', ['test/start']],
  [
    'functions/domain/routes.ts',
    [
      ...['test/domain', 'test/openapi', 'test/service', 'test/stack'],
      ...['authorize', 'bundles', 'costs'].map((name) => `test/functions/${name}`),
    ],
  ],
  ['lib/openapi/demo.ts', [...ofDocument, 'test/start', 'test/admin']],
  ['lib/openapi', ofDocument],
  ['openapi.json', ofDocument],
  ['lib/client', ['test/client', 'test/openapi/document', 'test/consumers', 'test/releases']],
  ['lib/local/test', ['lib/local/test']],
  ['lib/local', ['test/', 'lib/local/test']],
  ['lib/app.ts', ['test/']],
  ['lib/bundles', ['test/']],
  ['lib/settings.ts', ['test/stack', 'test/service', 'test/releases']],
  ['lib/stack.ts', ['test/stack', 'test/service', 'test/releases']],
  ['lib/', ['test/stack', 'test/service']],
  ['package', ['test/', 'lib/local/test']],
];

/** The tests that read a page, besides those of the documents. */
const readingPages: Readonly<Record<string, readonly string[]>> = {
  'README.md': ['test/admin/tenants', 'test/client/packed-client'],
  'bin/admin/README.md': ['test/admin/dead-letters'],
  'lib/EVENTS.md': ['test/consumers'],
  'lib/RUNBOOK.md': ['test/stack/alarms'],
  'lib/client/README.md': ['test/client/packed-client'],
};

/** What Git prints, by line. Where it fails, it has printed why. */
const git = (...args: string[]): string[] => {
  const { status, stdout } = spawnSync('git', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) process.exit(1);
  return stdout.split('\n').filter(Boolean);
};

const isTest = (path: string) => path.endsWith('.test.ts');

const testsOf = (path: string): readonly string[] => {
  if (isTest(path)) return existsSync(path) ? [path] : [];
  if (path.endsWith('.md')) return readingPages[path] ?? [];
  const [, folder] = /^(test\/(?!support\/)[^/]+\/)/.exec(path) ?? [];
  if (folder) return [folder];
  const [, tests] = concerned.find(([prefix]) => path.startsWith(prefix)) ?? [];
  return tests ?? ['test/'];
};

const { since, list } = new Command('npm run test:changed --')
  .description(
    'Runs the tests that a change concerns: commits, and what is in the working tree, with new files.',
  )
  .option('--since <ref>', 'the branch or commit before the change', 'main')
  .option('--list', 'print the tests, and run none')
  .addHelpText('after', rules)
  .parse()
  .opts<{ since: string; list?: boolean }>();

const diff = (filter: string) =>
  git('diff', '--merge-base', '--name-only', `--diff-filter=${filter}`, since, '--');
const added = [...diff('A'), ...git('ls-files', '--others', '--exclude-standard')];
const paths = [...diff('a'), ...added.filter(isTest)];
const tests = [...new Set(['test/documents', ...paths.flatMap(testsOf)])].sort();
const projects = ['service', 'without-service', 'local-engine'].filter(
  // vitest looks for `test/` anywhere in a path, and would find lib/local/test.
  (name) => name !== 'local-engine' || tests.some((path) => path.startsWith('lib/local/test')),
);
// A test of a copy may be all that has changed.
const options = [...projects.map((name) => `--project=${name}`), '--passWithNoTests'];
const args = ['run', ...options, ...tests];
console.log(`vitest ${args.join(' ')}`);
if (!list) {
  const vitest = spawn(process.execPath, ['test/run-tests.ts', ...args], { stdio: 'inherit' });
  vitest.once('close', (code) => {
    process.exitCode = code ?? 1;
  });
}
