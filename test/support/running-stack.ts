import { afterEach, inject } from 'vitest';
import type { GivenService } from '../../bin/smoke/given-service.ts';
import { given } from './given-service.ts';
import { nameRequests } from './request-ids.ts';
import { useStoreOf } from './store.ts';

/**
 * The service that `npm test` runs. Every test file loads this first, so that the store uses its
 * table.
 */
export const stack = inject('stack');

if (!given) useStoreOf(stack);

afterEach(nameRequests);

/** What the tests of the contract know of the service, whichever it is. */
export const service: GivenService = given ?? {
  url: stack.url,
  mailbox: stack.mailbox,
  eventBus: stack.outputs.EventBusArn,
};
