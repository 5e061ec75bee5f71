import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { newest, pathOf } from '../releases/kept-releases.ts';
import { checkCompatibility } from './check-compatibility.ts';

new Command('npm run compatible --')
  .description(
    'Compares openapi.json with that of the newest release (test/releases), and fails on a change that breaks clients of /v1 or consumers of events, unless CHANGELOG.md lists the break under Security in the words of this command. Every other change needs a line in CHANGELOG.md.',
  )
  .parse();

const fail = (...lines: readonly string[]): never => {
  console.error(lines.join('\n'));
  process.exit(1);
};
const read = (path: string) => readFileSync(path, 'utf8');

const release = newest() ?? fail('There is no release in test/releases to compare with.');
const faults = checkCompatibility({
  release,
  frozen: read(pathOf(release, 'openapi.json')),
  document: read('openapi.json'),
  changelog: read('CHANGELOG.md'),
});
if (faults.length > 0) fail(`openapi.json is not compatible with ${release}:`, ...faults);
console.log(`openapi.json is compatible with ${release}.`);
