import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { copyProject } from '../../testing/copy-project.ts';
import {
  type LocalRun,
  type LocalRunOptions,
  root,
  startLocalRun,
} from '../../testing/start-local-run.ts';

/** Starts it, and ends it with the test. */
export const start = (args: readonly string[] = [], options: LocalRunOptions = {}): LocalRun => {
  const run = startLocalRun({ args, ...options });
  onTestFinished(run.stop);
  return run;
};

/** A copy of the project for a test that changes its files. */
export const copyOfProject = (): string => {
  const copy = join(temporaryDirectory(), 'project');
  copyProject(copy);
  return copy;
};

/** A file of the project. */
export const original = (file: string): string => readFileSync(join(root, file), 'utf8');

/** A file of the project in which texts are replaced. It must contain them. */
export const edited = (file: string, ...edits: [text: string, replacement: string][]): string =>
  edits.reduce((source, [text, replacement]) => {
    expect(source).toContain(text);
    return source.replace(text, replacement);
  }, original(file));

export const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
