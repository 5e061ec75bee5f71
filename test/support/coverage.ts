/**
 * Runs all tests and then says which statements of `functions/` have run.
 *
 * `node test/support/coverage.ts`; with arguments for Vitest it runs only the tests that they name
 * and says nothing of coverage. Exits with 1 when a test fails or too little has run.
 *
 * What counts is what the deployed bundles did inside their instances, as V8 saw it, mapped back by
 * their source maps. That a test imports a module does not count.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Executed, executedIn } from './executed.ts';

const wantedPercent = 95;

const root = join(import.meta.dirname, '../..');
const rawDirectory = join(root, '.coverage');

const selection = process.argv.slice(2);
rmSync(rawDirectory, { recursive: true, force: true });
try {
  const failed = await runTests();
  process.exitCode = failed || (selection.length > 0 ? 0 : reportCoverage());
} finally {
  // Some megabytes for each instance that has run.
  rmSync(rawDirectory, { recursive: true, force: true });
}

async function runTests(): Promise<number> {
  const vitest = dirname(fileURLToPath(import.meta.resolve('vitest/package.json')));
  const tests = spawn(process.execPath, [join(vitest, 'vitest.mjs'), 'run', ...selection], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...(selection.length === 0 && { NODE_V8_COVERAGE: rawDirectory }) },
  });
  const [code] = await once(tests, 'exit');
  return code ?? 1;
}

/** @returns the exit code */
function reportCoverage(): number {
  const folder = `${pathToFileURL(join(root, 'functions'))}/`;
  const files = [...executedIn(rawDirectory, (source) => source.startsWith(folder))]
    .map(([url, executed]) => ({ path: url.slice(folder.length), ...executed }))
    .sort((a, b) => a.path.localeCompare(b.path));

  console.log('Statements of functions/ that ran in the deployed bundles:');
  for (const { path, ...executed } of files) {
    console.log(`${row(path, executed)}  ${missedLines(executed)}`.trimEnd());
  }
  const total = {
    statements: files.flatMap(({ statements }) => statements),
    ran: files.flatMap(({ ran }) => ran),
  };
  console.log(row('all', total));

  const missing = readdirSync(join(root, 'functions'))
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => !files.some(({ path }) => path === name));
  if (missing.length > 0) console.log(`No test has started ${missing.join(', ')}.`);
  const percent = percentOf(total);
  const enough = percent >= wantedPercent && missing.length === 0;
  console.log(
    `Coverage ${enough ? 'passed' : 'FAILED'}: ${percent.toFixed(2)} % of the statements ran, and ${wantedPercent} % have to.`,
  );
  return enough ? 0 : 1;
}

type Tally = Pick<Executed, 'statements' | 'ran'>;

function row(name: string, tally: Tally): string {
  const fraction = `${tally.ran.length}/${tally.statements.length}`;
  return `  ${name.padEnd(32)} ${fraction.padStart(9)} ${percentOf(tally).toFixed(2).padStart(7)} %`;
}

function percentOf({ statements, ran }: Tally): number {
  return statements.length === 0 ? 100 : (100 * ran.length) / statements.length;
}

function missedLines({ statements, ran, text }: Executed): string {
  const missed = statements.filter((each) => !ran.includes(each));
  const lines = new Set(missed.map(({ start }) => text.slice(0, start).split('\n').length));
  return lines.size > 0 ? `not line ${[...lines].join(', ')}` : '';
}
