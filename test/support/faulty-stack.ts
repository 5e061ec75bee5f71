import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { test as base, inject } from 'vitest';
import type { Response } from '../../bin/testing/send-request.ts';
import { newTenant, type Tenant } from '../../bin/testing/tenants.ts';
import { pathOf } from '../../functions/contract/operation.ts';
import { dynamodb } from '../../functions/store/client.ts';
import { startDynamodb } from '../../lib/local/local-engine.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { type CallFunction, caller } from './http.ts';
import type { KeyedOperation } from './keyed-operations.ts';
import type { PreparedRequest } from './prepared-requests.ts';

/**
 * One for all files of this worker, which ends with it: starting Java, and the slow calls after
 * that, would take longer than many a file.
 */
let dynamodbLocal: ReturnType<typeof startDynamodb> | undefined;

/**
 * Starts one, which takes its table with it when it stops. A test with many items puts them
 * elsewhere: every call about a table with a stream takes DynamoDB Local through the stream records
 * of all tables before it, deleted ones too. After 13,000 a write takes ten times as long.
 */
export const startServiceOfFile = async (): Promise<FaultyService> => {
  dynamodbLocal ??= startDynamodb().catch((error) => {
    dynamodbLocal = undefined;
    throw error;
  });
  const service = await startFaultyService({
    assemblyDirectory: inject('stack').assemblyDirectory,
    dynamodbUrl: (await dynamodbLocal).url,
  });
  const stop = async () => {
    await service.stop();
    const { TableName } = service.stack.outputs;
    await dynamodb.send(new DeleteTableCommand({ TableName }));
  };
  return { ...service, stop };
};

/** Tests of a faulty service that the tests of a file share. Each test leaves it healed. */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from it which fixtures this needs.
  .extend('faultyService', { scope: 'file' }, async ({}, { onCleanup }) => {
    const service = await startServiceOfFile();
    onCleanup(() => service.stop());
    return { ...service, call: caller(service.stack.url ?? '') };
  })
  .extend('tenant', { scope: 'file' }, ({ faultyService: _ }) => newTenant())
  .extend('faulty', ({ faultyService }, { onCleanup }) => {
    onCleanup(() => faultyService.heal());
    return faultyService;
  })
  /** Sends an intent once. */
  .extend('ask', ({ faulty }) => askOf(faulty))
  /** Sends a request of the tenant. */
  .extend('send', ({ ask, tenant }) => sendOf(ask, tenant))
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

const askOf =
  (faulty: Faulty) =>
  (
    { route, request, token }: Pick<PreparedRequest, 'route' | 'request' | 'token'>,
    key?: string,
  ): Promise<Response> =>
    faulty.call(route.method, pathOf(route, request), { token, key, body: request.body });

/** Sends an intent once. */
export type Ask = ReturnType<typeof askOf>;

const sendOf =
  (ask: Ask, { token }: Tenant) =>
  <Target>(
    { route, request }: KeyedOperation<Target>,
    target: Target,
    key?: string,
  ): Promise<Response> =>
    ask({ route, request: request(target), token }, key);
