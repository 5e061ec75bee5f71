import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { printable } from '../../functions/domain/text.ts';
import { AdminError } from '../command-line/admin-error.ts';
import { runProgram } from '../command-line/run-program.ts';

const root = join(import.meta.dirname, '../..');

const program = new Command('npm run openapi --')
  .description(
    'Writes openapi.json, the public contract, from it the types of the client, and record.schema.json. Made of the schemas, routes and problems in functions/domain, the words in lib/openapi and the recorded examples there.',
  )
  .option(
    '--record',
    'first starts the service and records the examples that have changed (Java 17 or later)',
  );

const write = (path: string, content: string) => {
  writeFileSync(join(root, path), content);
  console.log(`Wrote ${path}.`);
};
/** JSON in ASCII: some characters of patterns reorder a line, or stop a reader of YAML. */
const json = (value: unknown) =>
  `${JSON.stringify(value, null, 2)}\n`.replaceAll(/[^\n]+/g, (line) => printable(line));

const examplesPath = 'lib/openapi/examples.json';
const eventsPath = 'lib/openapi/event-examples.json';
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const writeDocument = async ({ record }: { readonly record?: true }): Promise<void> => {
  // Each is imported when the file that it reads has been written.
  if (record) {
    const { recordExamples } = await import('./record-examples.ts');
    const { keepUnchanged } = await import('./unchanged.ts');
    const { exchanges, events } = await recordExamples();
    const earlier = (path: string) => JSON.parse(read(path));
    write(examplesPath, json(keepUnchanged(exchanges, earlier(examplesPath))));
    write(eventsPath, json(keepUnchanged(events, earlier(eventsPath))));
  }
  const { openapiDocument } = await import('../../lib/openapi/document.ts');
  write('openapi.json', json(openapiDocument()));
  const { recordSchema } = await import('../../lib/openapi/record-schema.ts');
  write('record.schema.json', json(recordSchema()));
  const { clientTypes } = await import('../../lib/openapi/client-types/client-types.ts');
  write('lib/client/openapi.d.ts', await clientTypes(read('openapi.json')));
};

program.action((options) =>
  writeDocument(options).catch(({ message }: Error) => {
    throw new AdminError(message);
  }),
);
await runProgram(program);
