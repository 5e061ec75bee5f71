import { cpSync, symlinkSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const root = join(import.meta.dirname, '../..');
/** What a file is made or removed in meanwhile, by other tests, cannot be copied. */
const leftOut = /^(\.(build|cache|coverage|git|local)|cdk\.out|node_modules)$/;

/** Copies the project, for what changes its files. The packages stay where they are. */
export const copyProject = (copy: string): void => {
  cpSync(root, copy, {
    recursive: true,
    filter: (source) => !leftOut.test(relative(root, source).split(sep)[0] ?? ''),
  });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
};
