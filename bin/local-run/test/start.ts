import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import {
  type LocalRun,
  type LocalRunOptions,
  root,
  startLocalRun,
} from '../../../test/support/start-local-run.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';

/** Starts it, and ends it with the test. */
export const start = (args: readonly string[] = [], options: LocalRunOptions = {}): LocalRun => {
  const run = startLocalRun({ args, ...options });
  onTestFinished(run.stop);
  return run;
};

/** What a file is made or removed in meanwhile, by other tests, cannot be copied. */
const leftOut = /^(\.(build|cache|coverage|git|local)|cdk\.out|node_modules)$/;

/** A copy of the project for a test that changes its files. The packages stay where they are. */
export const copyOfProject = (): string => {
  const copy = join(temporaryDirectory(), 'project');
  cpSync(root, copy, {
    recursive: true,
    filter: (source) => !leftOut.test(relative(root, source).split(sep)[0] ?? ''),
  });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
};

/** A file of the project in which texts are replaced. It must contain them. */
export const edited = (file: string, ...edits: [text: string, replacement: string][]): string =>
  edits.reduce(
    (source, [text, replacement]) => {
      expect(source).toContain(text);
      return source.replace(text, replacement);
    },
    readFileSync(join(root, file), 'utf8'),
  );

export const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
