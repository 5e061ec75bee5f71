// Runs Vitest, whose arguments it takes.
import { colourTerminals } from '../bin/command-line/colour-terminals.ts';
import { outliveReaders } from '../bin/command-line/outlive-readers.ts';

colourTerminals();
outliveReaders(process.exit);
await import(new URL('../node_modules/vitest/vitest.mjs', import.meta.url).href);
