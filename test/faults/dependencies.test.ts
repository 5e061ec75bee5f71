import { describe, expect, test } from 'vitest';
import type { Fault } from '../support/fault-proxy.ts';
import { useFaultyStack } from '../support/faulty-stack.ts';
import { operations } from '../support/operations.ts';
import { newSandboxes, newTenant } from '../support/tenants.ts';

const { faulty, tenant } = useFaultyStack();

const error = (type: string, status = 400): Fault => ({ kind: 'answer', status, type });

const faults: [string, Fault][] = [
  ['throttles', error('ThrottlingException')],
  ['is out of provisioned throughput', error('ProvisionedThroughputExceededException')],
  ['throttles the account', error('RequestLimitExceeded')],
  ['fails', error('InternalServerError', 500)],
  ['resets the connection', { kind: 'reset' }],
  ['does not answer', { kind: 'hold', released: new Promise(() => {}) }],
];

const everyCall = ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'TransactWriteItems'] as const;

describe.each(operations)('$name', ({ prepare, status }) => {
  test.each([
    ...faults,
    ['cancels as throttled', error('TransactionCanceledException:ThrottlingError')] as const,
    ['always conflicts', error('TransactionCanceledException:TransactionConflict')] as const,
  ])('answers 503 while DynamoDB %s, has done nothing, and works after that', async (_, fault) => {
    const intent = await prepare(tenant);
    const only = fault.kind === 'answer' && fault.type.includes(':');
    for (const operation of only ? (['TransactWriteItems'] as const) : everyCall) {
      faulty.dynamodb.inject({ operation, about: only ? intent.about : '', fault });
    }
    const ask = () => faulty.call('POST', intent.path, { ...intent.call, key: intent.about });

    const failed = await ask();

    expect([failed.status, failed.body.code]).toEqual([503, 'unavailable']);
    expect(failed.headers.get('retry-after')).toBe('1');
    faulty.heal();
    expect(await intent.effects()).toEqual([]);
    faulty.clock.advance(11_000);
    expect((await ask()).status).toBe(status);
    expect(await intent.effects()).toHaveLength(1);
  });
});

test.each(faults)('list answers 503 while DynamoDB %s', async (_, fault) => {
  await newSandboxes(tenant.workspace, 1);
  const list = () => faulty.call('GET', '/v1/sandboxes', { token: tenant.token });
  faulty.dynamodb.inject({ operation: 'Query', fault });
  const { status, body, headers } = await list();
  expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
  faulty.heal();
  expect((await list()).status).toBe(200);
});

test.each(faults)(
  'a token that cannot be looked up because DynamoDB %s is answered 503',
  async (_, fault) => {
    const { token } = await newTenant();
    const list = () => faulty.call('GET', '/v1/sandboxes', { token });
    faulty.dynamodb.inject({ operation: 'GetItem', about: 'TOKEN#', fault });
    const { status, body, headers } = await list();
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    faulty.heal();
    expect((await list()).status).toBe(200);
  },
);

test('a conflict that passes is not noticed', async () => {
  for (const { prepare, status } of operations) {
    const intent = await prepare(tenant);
    faulty.dynamodb.inject({
      operation: 'TransactWriteItems',
      about: intent.about,
      calls: [1, 2, 3],
      fault: error('TransactionCanceledException:TransactionConflict'),
    });
    const answer = await faulty.call('POST', intent.path, { ...intent.call, key: intent.about });
    expect(answer.status).toBe(status);
    expect(await intent.effects()).toHaveLength(1);
  }
});
