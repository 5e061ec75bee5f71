import { stopCoverage } from 'node:v8';
import { inject } from 'vitest';
import { useStoreOf } from './store.ts';

/** The running service. Every test file loads this first, so that the store uses its table. */
export const stack = inject('stack');

// Of the tests' own modules; the functions' threads are measured.
if (process.env.NODE_V8_COVERAGE) stopCoverage();

useStoreOf(stack);
