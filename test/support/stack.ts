import { inject } from 'vitest';
import { localEnvironment } from '../../bin/local-environment.ts';

/** The running service. Every test file loads this first, so that the store uses its table. */
export const stack = inject('stack');

Object.assign(process.env, localEnvironment(stack));
