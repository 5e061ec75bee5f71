// Runs Vitest, whose arguments it takes.
import { colourTerminals } from '../bin/colour-terminals.ts';

colourTerminals();
await import(new URL('../node_modules/vitest/vitest.mjs', import.meta.url).href);
