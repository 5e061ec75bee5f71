import { stopCoverage } from 'node:v8';
import { afterEach, inject } from 'vitest';
import type { Stage } from '../../bin/smoke/stage.ts';
import { nameRequests } from './request-ids.ts';
import { stage } from './stage.ts';
import { useStoreOf } from './store.ts';

/**
 * The service that `npm test` runs. Every test file loads this first, so that the store uses its
 * table.
 */
export const stack = inject('stack');

// Of the tests' own modules; the functions' threads are measured.
if (process.env.NODE_V8_COVERAGE) stopCoverage();

if (!stage) useStoreOf(stack);

afterEach(nameRequests);

/** What the tests of the contract know of the service, whichever it is. */
export const service: Omit<Stage, 'limits'> = stage ?? {
  url: stack.url,
  mailbox: stack.mailbox,
  mailConfigurationSet: stack.outputs.MailConfigurationSet,
  eventBus: stack.outputs.EventBusArn,
};
