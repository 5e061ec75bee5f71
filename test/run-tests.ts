// Runs Vitest, whose arguments it takes.
import { colourTerminals } from '../bin/command-line/colour-terminals.ts';

colourTerminals();
await import(new URL('../node_modules/vitest/vitest.mjs', import.meta.url).href);
