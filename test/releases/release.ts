import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { bundleFunction, functionNames } from '../../lib/bundles/bundles.ts';
import project from '../../package.json' with { type: 'json' };
import { newest } from './kept-releases.ts';
import { checkTag, releaseNotes } from './notes.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Bundles every function, and returns what esbuild says is in the bundles. */
const metafiles = () => {
  const directory = buildDirectory();
  return Promise.all(functionNames.map((name) => bundleFunction(name, join(directory, name))));
};

const program = new Command('npm run --silent release --').description(
  'The steps of .github/workflows/release.yml that have logic. Each prints to standard output.',
);
program
  .command('check-tag')
  .description('Check that a tag names the version in package.json, and that it is frozen.')
  .argument('<tag>', 'such as v1.0.0')
  .action((tag: string) => checkTag(tag, project.version, newest()));
program
  .command('notes')
  .description('Print the notes of this version: its section of CHANGELOG.md.')
  .option('--pages <url>', 'where relative links lead, with a slash at the end', '')
  .action(({ pages }: { pages: string }) =>
    console.log(releaseNotes(read('CHANGELOG.md'), project.version, pages)),
  );
program
  .command('sbom')
  .description('Print the bill of materials of the bundles: CycloneDX 1.7 in JSON.')
  .action(async () => {
    const { billOfMaterials } = await import('./sbom.ts');
    process.stdout.write(billOfMaterials(await metafiles(), JSON.parse(read('package-lock.json'))));
  });

try {
  await program.parseAsync();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
