import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const directory = import.meta.dirname;

/** Sorts versions from the oldest to the newest. */
export const compareReleases = (one: string, other: string): number =>
  one.localeCompare(other, 'en', { numeric: true });

/** The releases whose files are kept here, from the oldest to the newest. */
export const releases = (): string[] =>
  readdirSync(directory)
    .filter((name) => /^\d+\.\d+\.\d+$/.test(name))
    .sort(compareReleases);

/** The newest release; undefined before the first one. */
export const newest = (): string | undefined => releases().at(-1);

/** The path of a frozen file. */
export const pathOf = (version: string, file: string): string => join(directory, version, file);
