import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const directories: string[] = [];

/** A directory that goes when the tests of the file are over. */
export const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'local-test-'));
  directories.push(directory);
  return directory;
};

/** For the set-up, which runs for each file; a worker loads this module once for all of them. */
export const removeTemporaryDirectories = (): void =>
  afterAll(() => {
    for (const directory of directories.splice(0))
      rmSync(directory, { recursive: true, force: true });
  });
