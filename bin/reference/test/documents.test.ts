import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const notOurs = ['**/node_modules', '.*', 'cdk.out', '**/*.d.ts'];

const read = (path: string) => readFileSync(join(root, path), 'utf8');

test('the README shows the handler of an approval as it is', () => {
  const [, sample = ''] = /^```ts\n(\/\*\*.*?)^```$/ms.exec(read('README.md')) ?? [];
  expect(sample).not.toBe('');
  expect(read('functions/approve-payment-request.ts').endsWith(`\n${sample}`)).toBe(true);
});

test('no line of a comment is longer than 100 columns', () => {
  // Biome's formatter does not wrap comments, and its plugins do not see the first one of a file.
  const files = [
    ...globSync('**/*.{ts,js,css}', { cwd: root, exclude: notOurs }),
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
