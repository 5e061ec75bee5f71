import type { EntryReader } from './entry.ts';
import { type BadLine, type Imported, importFile } from './import-file.ts';
import type { Options } from './options.ts';
import { count, print } from './print.ts';

export interface ImportCommandOptions extends Options {
  readonly dryRun?: boolean;
}

/** What every import's help says at its end. */
export const importRules = `
Every bad line is reported with its number and what is wrong with it; the good ones are imported.
Running it again is safe: what is in the table already is left exactly as it is.
The exit code is 1 if any line was bad.`;

/** Imports a file and says what became of its lines; sets the exit code. */
export const reportImport = async (
  file: string,
  read: EntryReader,
  { json, dryRun }: ImportCommandOptions,
  jsonColumns: readonly string[] = [],
): Promise<void> => {
  const bad: BadLine[] = [];
  const onBad = json ? (line: BadLine) => bad.push(line) : printBadLine;
  const imported = await importFile(file, read, { dryRun, jsonColumns, onBad });
  const report = { ...imported, dry_run: dryRun ?? false, bad_lines: bad };
  print(json, report, () => summary(imported, dryRun));
  if (imported.bad > 0) process.exitCode = 1;
};

const printBadLine = ({ line, errors }: BadLine): void => {
  for (const { detail, ...at } of errors) {
    const where = 'pointer' in at && at.pointer ? ` ${at.pointer}` : '';
    console.error(`line ${line}:${where} ${detail}`);
  }
};

const summary = ({ lines, created, present, bad }: Imported, dryRun?: boolean): string =>
  [
    `${count(lines, 'line')}:`,
    `${created.toLocaleString('en')} ${dryRun ? 'would be imported' : 'imported'},`,
    `${present.toLocaleString('en')} there already,`,
    `${bad.toLocaleString('en')} bad.`,
  ].join(' ');
