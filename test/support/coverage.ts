import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CoverageReport } from 'monocart-coverage-reports';

const wantedPercent = 95;
const root = join(import.meta.dirname, '../..');

/**
 * With COVERAGE set, reports which statements of `functions/` have run, and fails the run if they
 * are too few. Not in every run: an instance that writes what it ran needs twice the processor time
 * to start.
 *
 * What counts is what the deployed bundles did inside their instances, as V8 saw it, mapped back by
 * their source maps. That a test imports a module does not count.
 */
export default function measureCoverage() {
  if (!process.env.COVERAGE) return;
  const raw = join(root, '.coverage');
  rmSync(raw, { recursive: true, force: true });
  // Read by each process and thread that starts from now on.
  process.env.NODE_V8_COVERAGE = raw;
  return async () => {
    const report = new CoverageReport({
      name: 'Statements of functions/ that ran in the deployed bundles',
      outputDir: join(raw, 'report'),
      reports: ['console-details'],
      all: { dir: 'functions', filter: '**/*.ts' },
      entryFilter: ({ url }) => url.endsWith('.mjs') && url.includes('/.build/'),
      sourceFilter: (path) => /(^|\/)functions\//.test(path) && !path.includes('node_modules'),
      sourcePath: (path) => path.replace(/^.*?(?=functions\/)/, ''),
    });
    await report.addFromDir(raw);
    const results = await report.generate();
    rmSync(raw, { recursive: true, force: true });
    const percent = Number(results?.summary.statements.pct);
    if (percent >= wantedPercent) return;
    console.error(`${percent} % of the statements ran, and ${wantedPercent} % have to.`);
    process.exitCode = 1;
  };
}
