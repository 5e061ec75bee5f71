import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** A new directory, which goes when the run is over. */
export const temporaryDirectory = (): string => mkdtempSync(join(inject('runDirectory'), '-'));
