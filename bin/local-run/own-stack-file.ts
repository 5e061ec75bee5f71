import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type LocalStack, lockFile } from '../../lib/local/local-engine.ts';
import { demo } from '../../lib/openapi/demo.ts';
import { resourcesIn } from './resources.ts';
import { readStackFile, type StackFile, stackFilePath } from './stack-file.ts';

/** The file of a running stack with the demo data, beside which the reference page is served. */
export const stackFileOf = (
  {
    url = '',
    mailbox,
    endpoints,
    outputs,
  }: Pick<LocalStack, 'url' | 'mailbox' | 'endpoints' | 'outputs'>,
  reference: string,
): StackFile => ({
  pid: process.pid,
  url,
  reference,
  mailbox,
  table: outputs.TableName ?? '',
  endpoints,
  ...resourcesIn(outputs),
  ...demo,
});

/** The port of a URL, also where it is the protocol's own, which `URL` leaves out. */
export const portOf = (url: string): number => Number(new URL(url).port || 80);

let written: { readonly path: string; readonly text: string } | undefined;

/**
 * Writes the file in which other commands find this run. The first run in a directory gets
 * `stackFilePath`. A run beside it gets a file with its port in the name, which no other run has.
 *
 * @returns the file's path
 */
export const writeStackFile = (content: StackFile): string => {
  const directory = dirname(stackFilePath);
  mkdirSync(directory, { recursive: true });
  const isFirst = lockFile(join(directory, 'stack.lock'));
  const path = isFirst ? stackFilePath : join(directory, `stack-${portOf(content.url)}.json`);
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
