import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';

const usage = `npm run test:changed -- [--since <ref>]

Runs the tests that a change can reach. The change is what differs from <ref> (default: main) in
commits and in the working tree, with new files. Every test that runs the service reaches functions/,
lib/ and lib/local, so a change there runs everything; a change elsewhere runs less.`;

/**
 * Which tests reach a file, by the beginning of its path. The first rule that fits decides; a file
 * without a rule runs every test.
 */
const reach: readonly [prefix: string, tests: readonly string[]][] = [
  ['test/support/', ['test/']],
  ['bin/admin/table', ['test/']],
  ['bin/admin', ['test/admin', 'test/chaos', 'test/documents', 'test/smoke']],
  ['bin/rehears', ['test/rehearsal']],
  ['bin/smoke', ['test/smoke', 'test/rehearsal']],
  ['bin/openapi', ['test/openapi', 'test/client']],
  ['bin/compatible.ts', ['test/openapi']],
  ['bin/reference', ['test/reference']],
  ['bin/local.ts', ['test/start', 'test/reference', 'test/documents']],
  ['bin/welcome.ts', ['test/start']],
  ['bin/start-progress.ts', ['test/start']],
  [
    'lib/openapi',
    ['test/openapi', 'test/client', 'test/reference', 'test/documents', 'test/smoke'],
  ],
  ['openapi.json', ['test/openapi', 'test/client', 'test/reference']],
  ['lib/local/test', ['lib/local/test']],
];

const run = (...args: string[]) =>
  execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);

const testsOf = (path: string): readonly string[] => {
  if (path.endsWith('.test.ts')) return existsSync(path) ? [path] : [];
  if (path === 'CONTRIBUTING.md') return ['test/documents', 'test/contributing'];
  if (path.endsWith('.md')) return ['test/documents'];
  const [, folder] = /^(test\/(?!support\/)[^/]+\/)/.exec(path) ?? [];
  if (folder) return [folder];
  const [, tests] = reach.find(([prefix]) => path.startsWith(prefix)) ?? [];
  return tests ?? ['test/', 'lib/local/test'];
};

const { values } = parseArgs({
  options: { since: { type: 'string', default: 'main' }, help: { type: 'boolean', short: 'h' } },
});
if (values.help) {
  console.log(usage);
} else {
  const paths = [
    ...run('diff', '--name-only', values.since),
    ...run('ls-files', '--others', '--exclude-standard'),
  ];
  const tests = [...new Set(paths.flatMap(testsOf))].sort();
  console.log(tests.length > 0 ? `vitest run ${tests.join(' ')}` : 'Nothing has changed.');
  if (tests.length > 0) {
    const vitest = spawn('node_modules/.bin/vitest', ['run', ...tests], { stdio: 'inherit' });
    vitest.once('close', (code) => {
      process.exitCode = code ?? 1;
    });
  }
}
