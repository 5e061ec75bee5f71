import { randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  createReadStream,
  createWriteStream,
  existsSync,
  openSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AdminError } from './admin-error.ts';

/** A temporary file without a name, to write and then to read, where `path` can be written. */
const draftOf = async (path: string) => {
  accessSync(existsSync(path) ? path : dirname(path), constants.W_OK);
  const temporary = join(tmpdir(), randomUUID());
  const draft = createWriteStream('', { fd: openSync(temporary, 'wx', 0o600) });
  const complete = createReadStream('', { fd: openSync(temporary, 'r') });
  rmSync(temporary);
  return { draft, complete };
};

/**
 * Writes text to a file that an option names, as soon as the text is complete: until then a failure
 * or an interruption leaves the file as it was, and nothing else behind.
 *
 * @throws AdminError when the file cannot be written
 */
export const writeText = async (path: string, text: AsyncIterable<string>): Promise<void> => {
  const refuse = ({ message }: Error): never => {
    throw new AdminError(`${path} cannot be written: ${message}.`);
  };
  const { draft, complete } = await draftOf(path).catch(refuse);
  await pipeline(text, draft);
  await pipeline(complete, createWriteStream(path, { mode: 0o600 })).catch(refuse);
};
