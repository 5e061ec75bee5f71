import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatLines, parseLines } from '../support/json-lines.ts';
import type { Frozen } from './frozen.ts';
import { pathOf } from './kept-releases.ts';

/** What is kept as lines, each in a file of its own. */
const files = { items: 'table.jsonl', events: 'events.jsonl' } as const;
const exportFile = 'export.jsonl';
/** The rest. */
const restFile = 'service.json';

/** Writes the frozen data into the folder of a release. */
export const writeData = (folder: string, { items, events, exported, ...rest }: Frozen): void => {
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  write(files.items, formatLines(items));
  write(files.events, formatLines(events));
  write(exportFile, exported);
  write(restFile, `${JSON.stringify(rest, null, 2)}\n`);
};

/** The frozen data of a release. */
export const readData = (version: string): Frozen => {
  const read = (file: string) => readFileSync(pathOf(version, file), 'utf8');
  return {
    ...JSON.parse(read(restFile)),
    items: parseLines(read(files.items)),
    events: parseLines(read(files.events)),
    exported: read(exportFile),
  };
};
