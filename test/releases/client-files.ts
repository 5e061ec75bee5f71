import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const root = join(import.meta.dirname, '../..');

/** The files of a client, by name. */
export type ClientFiles = Readonly<Record<string, string>>;

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Those of this version. What packing it has left beside them is generated. */
export const client: ClientFiles = Object.fromEntries(
  readdirSync(join(root, 'lib/client'))
    .filter((name) => /(^|\/)(openapi\.d|[\w-]+)\.ts$/.test(name))
    .map((name) => [name, read(`lib/client/${name}`)]),
);

/** The program that uses all of this version's client: `client-use.ts` of a release. */
export const clientUse = read('test/releases/client-use.ts');

/** What TypeScript reports about a program with a client, nothing if it compiles. */
export const clientBreaks = async (program: string, files: ClientFiles): Promise<string[]> => {
  const directory = temporaryDirectory();
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      typeRoots: [join(root, 'node_modules/@types')],
      paths: { 'workforce-payments-client': ['./payments-client.ts'] },
    },
    include: ['*.ts'],
  };
  const all = {
    ...files,
    'client-use.ts': program,
    'tsconfig.json': JSON.stringify(config),
    'package.json': JSON.stringify({ type: 'module' }),
  };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(directory, name), text);
  const tsc = promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['--project', directory]);
  return tsc.then(
    () => [],
    ({ stdout, message }) => (stdout || message).trim().split('\n'),
  );
};
