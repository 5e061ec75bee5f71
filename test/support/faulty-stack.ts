import { setTimeout as sleep } from 'node:timers/promises';
import { test as base } from 'vitest';
import { pathOf } from '../../functions/contract/operation.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { type CallFunction, caller } from './http.ts';
import type { KeyedOperation, PreparedRequest } from './keyed-operations.ts';
import type { Response } from './send-request.ts';
import { newTenant } from './tenants.ts';

/** Tests of a faulty service that the tests of a file share. Each test leaves it healed. */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from it which fixtures this needs.
  .extend('faultyService', { scope: 'file' }, async ({}, { onCleanup }) => {
    const service = await startFaultyService();
    onCleanup(() => service.stop());
    return { ...service, call: caller(service.stack.url ?? '') };
  })
  .extend('tenant', { scope: 'file' }, ({ faultyService: _ }) => newTenant())
  .extend('faulty', ({ faultyService }, { onCleanup }) => {
    onCleanup(() => faultyService.heal());
    return faultyService;
  })
  /** Sends an intent once. */
  .extend(
    'ask',
    ({ faulty }) =>
      (
        { route, request, token }: Pick<PreparedRequest, 'route' | 'request' | 'token'>,
        key?: string,
      ) =>
        faulty.call(route.method, pathOf(route, request), { token, key, body: request.body }),
  )
  /** Sends a request of the tenant. */
  .extend(
    'send',
    ({ ask, tenant: { token } }) =>
      <Target>({ route, request }: KeyedOperation<Target>, target: Target, key?: string) =>
        ask({ route, request: request(target), token }, key),
  )
  /**
   * Sends an intent until its key can be used again: with a real clock a lease that was not given
   * back runs out by itself.
   */
  .extend('askUntilFree', ({ ask }) => {
    const askUntilFree = async (intent: PreparedRequest, key: string): Promise<Response> => {
      const response = await ask(intent, key);
      if (response.status !== 409) return response;
      await sleep(1000);
      return askUntilFree(intent, key);
    };
    return askUntilFree;
  });

/** A faulty service, with a client that checks every response's shape. */
export type Faulty = FaultyService & { readonly call: CallFunction };
