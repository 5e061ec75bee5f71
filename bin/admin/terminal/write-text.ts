import { randomUUID } from 'node:crypto';
import { accessSync, constants, realpathSync, rmSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AdminError } from './admin-error.ts';

/**
 * Writes text to a file that an option names. It is written beside the file and renamed at the end,
 * so a failure or an interruption leaves the old file as it was. A pipe or a device is written to.
 *
 * @throws AdminError when the file cannot be written
 */
export const writeText = async (path: string, text: AsyncIterable<string>): Promise<void> => {
  const { file, part, handle } = await begin(path).catch((error: Error) => {
    throw new AdminError(`${path} cannot be written: ${error.message}.`);
  });
  if (!part) return pipeline(Readable.from(text), handle.createWriteStream());
  const forgetPart = removeAtSignals(part);
  try {
    await pipeline(Readable.from(text), handle.createWriteStream({ flush: true }));
    await rename(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    forgetPart();
  }
};

interface Beginning {
  readonly file: string;
  /** What is renamed to the file; none if the file itself is open. */
  readonly part?: string;
  readonly handle: FileHandle;
}

const begin = async (path: string): Promise<Beginning> => {
  const old = statSync(path, { throwIfNoEntry: false });
  if (isStream.test(path) || (old && !old.isFile())) {
    return { file: path, handle: await open(path, 'w') };
  }
  // Renaming needs no permission to write the old file, and would replace a symbolic link.
  if (old) accessSync(path, constants.W_OK);
  const file = old ? realpathSync(path) : path;
  const part = `${file}.${randomUUID()}.part`;
  const handle = await open(part, 'wx', 0o600);
  if (old) await keepAccess(handle, old);
  return { file, part, handle };
};

/** Standard output may be a regular file, to which other commands write too. */
const isStream = /^\/(dev\/(std|fd\/)|proc\/)/;

const keepAccess = async (handle: FileHandle, { uid, gid, mode }: Stats): Promise<void> => {
  // Only root may give a file to another user.
  await handle.chown(uid, gid).catch(() => {});
  await handle.chmod(mode);
};

/** @returns what ends this */
const removeAtSignals = (part: string): (() => void) => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const remove = (signal: NodeJS.Signals) => {
    rmSync(part, { force: true });
    forget();
    // Without its listener, the signal ends the process as it does by default.
    process.kill(process.pid, signal);
  };
  const forget = () => {
    for (const signal of signals) process.off(signal, remove);
  };
  for (const signal of signals) process.on(signal, remove);
  return forget;
};
