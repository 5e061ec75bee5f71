import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import markdownIt from 'markdown-it';
import { lint } from 'markdownlint/promise';
// @ts-expect-error: The package has no types.
import relativeLinks from 'markdownlint-rule-relative-links';
import { describe, expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

const notOurs = ['**/node_modules', '.*', 'cdk.out'];
const documents = globSync('**/*.md', { cwd: root, exclude: notOurs });

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Links that lead nowhere: to a file, a heading of another file, or a heading of the same file. */
const brokenLinks = async (path: string): Promise<string[]> => {
  const results = await lint({
    files: [path],
    config: { default: false, 'relative-links': true, 'link-fragments': true },
    customRules: [relativeLinks],
    markdownItFactory: () => markdownIt(),
  });
  return Object.values(results)
    .flat()
    .map(({ lineNumber, errorDetail, errorContext }) =>
      [lineNumber, errorDetail, errorContext].filter(Boolean).join(' '),
    );
};

test.each(documents)('every relative link and anchor of %s leads somewhere', async (path) => {
  expect(await brokenLinks(join(root, path))).toEqual([]);
});

test('the README shows the handler of an approval as it is', () => {
  const [, sample = ''] = /^```ts\n(\/\*\*.*?)^```$/ms.exec(read('README.md')) ?? [];
  expect(sample).not.toBe('');
  expect(read('functions/approve-payment-request.ts').endsWith(`\n${sample}`)).toBe(true);
});

test('no line of a comment is longer than 100 columns', () => {
  // Biome's formatter does not wrap comments, and its plugins do not see the first one of a file.
  const files = [
    ...globSync('**/*.{ts,js,css}', { cwd: root, exclude: [...notOurs, '**/*.d.ts'] }),
    ...globSync(['.biome/*', '.ci/*', '.github/**/*.yml'], { cwd: root }),
  ];
  const long = files.flatMap((path) =>
    read(path)
      .split('\n')
      .map((line, index) => ({ line, place: `${path}:${index + 1}` }))
      .filter(({ line }) => line.length > 100 && /^ *(\/\/|\/?\*|#)/.test(line)),
  );
  expect(long).toEqual([]);
});

describe('a broken link is found that leads to', () => {
  test.each([
    ['a missing file', '[x](missing.md)'],
    ['a missing heading of the same file', '[x](#missing)'],
    ['a missing heading of another file', '[x](other.md#missing)'],
  ])('%s', async (_, link) => {
    const directory = mkdtempSync(join(tmpdir(), 'documents-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    writeFileSync(join(directory, 'other.md'), '# Other\n');
    writeFileSync(join(directory, 'page.md'), `# Page\n\n[fine](other.md#other) ${link}\n`);
    expect(await brokenLinks(join(directory, 'page.md'))).toHaveLength(1);
  });
});
