import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** A directory that goes when the tests of the file are over. */
export const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'payments-test-'));
  directories.push(directory);
  return directory;
};
