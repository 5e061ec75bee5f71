import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lockFile } from '../../lib/local/local-engine.ts';
import { readStackFile, type StackFile, stackFilePath } from './stack-file.ts';

let written: { readonly path: string; readonly text: string } | undefined;

/**
 * Writes the file from which other commands learn where this run is. The first run in a directory
 * gets `stackFilePath`. A run beside it gets a file with its port in the name, which no other run
 * has.
 *
 * @returns the file's path
 */
export const writeStackFile = (content: StackFile): string => {
  const directory = dirname(stackFilePath);
  mkdirSync(directory, { recursive: true });
  const isFirst = lockFile(join(directory, 'stack.lock'));
  const path = isFirst ? stackFilePath : join(directory, `stack-${new URL(content.url).port}.json`);
  written = { path, text: `${JSON.stringify(content, null, 2)}\n` };
  writeFileSync(path, written.text);
  return path;
};

/** Says which run has `stackFilePath`. */
export const describeOwner = (): string => {
  try {
    const { pid, url } = readStackFile();
    return `process ${pid} at ${url}`;
  } catch {
    return 'another run';
  }
};

/** Removes the file that this run has written, unless something else is there now. */
export const removeStackFile = (): void => {
  if (!written) return;
  const { path, text } = written;
  if (existsSync(path) && readFileSync(path, 'utf8') === text) rmSync(path);
};
