import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frozen } from './frozen.ts';
import { pathOf } from './release.ts';

/** What is kept as lines, each in a file of its own. */
const files = { items: 'table.jsonl', events: 'events.jsonl' } as const;
const exportFile = 'export.jsonl';
/** The rest. */
const restFile = 'service.json';

/** Writes the frozen data into the folder of a release. */
export const writeData = (folder: string, { items, events, exported, ...rest }: Frozen): void => {
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  const lines = (records: readonly object[]) =>
    records.map((record) => `${JSON.stringify(record)}\n`).join('');
  write(files.items, lines(items));
  write(files.events, lines(events));
  write(exportFile, exported);
  write(restFile, `${JSON.stringify(rest, null, 2)}\n`);
};

/** The frozen data of a release. */
export const readData = (version: string): Frozen => {
  const read = (file: string) => readFileSync(pathOf(version, file), 'utf8');
  const lines = (file: string) =>
    read(file)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return {
    ...JSON.parse(read(restFile)),
    items: lines(files.items),
    events: lines(files.events),
    exported: read(exportFile),
  };
};
