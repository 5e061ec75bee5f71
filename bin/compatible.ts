import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { findBreaks } from './openapi/find-breaks.ts';

const { base } = new Command('npm run compatible --')
  .description(
    'Compares openapi.json with that of the last release tag, or of main where there is none, and fails on a change within /v1 that breaks clients, unless the newest version in CHANGELOG.md lists the break in the words of this command. Every other change needs a line in CHANGELOG.md.',
  )
  .option('--base <commit>', 'compare with this commit instead')
  .parse()
  .opts<{ base?: string }>();

const git = (...words: string[]): string | undefined => {
  try {
    return execFileSync('git', words, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 2 ** 26,
    }).trim();
  } catch {
    return undefined;
  }
};
const fail = (...lines: string[]): never => {
  console.error(lines.join('\n'));
  process.exit(1);
};

const head = git('rev-parse', 'HEAD');
/** Main itself is compared with the commit before it. */
const candidates = base
  ? [base]
  : [
      git('describe', '--tags', '--abbrev=0', '--match', 'v*'),
      // Where this branch began: later changes of main are not part of it.
      ...['origin/main', 'main'].map((name) => git('merge-base', 'HEAD', name)),
      'HEAD~1',
    ];
const against = candidates.find(
  (name) => name && name !== head && git('cat-file', '-e', `${name}:openapi.json`) !== undefined,
);
if (base && !against) fail(`There is no openapi.json at ${base}.`);
if (!against) {
  console.log(
    'Nothing to compare with: this clone has no release tag, no main and no earlier commit. Fetch more of the history (git fetch --tags --unshallow).',
  );
  process.exit(0);
}

const before = git('show', `${against}:openapi.json`) ?? '';
const after = readFileSync('openapi.json', 'utf8').trim();
const changelog = readFileSync('CHANGELOG.md', 'utf8').trim();
const [, newest = ''] = changelog.split(/^## /m);
const breaks = findBreaks(JSON.parse(before), JSON.parse(after)).filter(
  // A break may be meant, such as before the first release: the newest version in the changelog
  // names it.
  (sentence) => !newest.replaceAll(/\s+/g, ' ').includes(sentence),
);
if (breaks.length > 0) {
  fail(
    `These changes since ${against} break clients of /v1:`,
    ...breaks.map((each) => `  ${each}`),
  );
}
if (before !== after && changelog === git('show', `${against}:CHANGELOG.md`)) {
  fail(`openapi.json has changed since ${against}: describe the change in CHANGELOG.md.`);
}
console.log(`openapi.json is compatible with that of ${against}.`);
