import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { lockData } from '../data-lock.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** What V8 does whenever it likes. */
const collectGarbage = () => {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
};

test('a directory stays locked when nothing refers to its lock any more', async () => {
  const directory = temporaryDirectory();
  lockData(directory);
  for (let i = 0; i < 3; i++) {
    await new Promise(setImmediate);
    collectGarbage();
  }
  expect(() => lockData(directory)).toThrow(
    `Another run uses the data in ${directory}: process ${process.pid}, which is starting.`,
  );
});
