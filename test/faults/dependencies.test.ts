import { expect } from 'vitest';
import { type CallFault, errorResponse } from '../support/fault-proxy.ts';
import { test } from '../support/faulty-stack.ts';
import { keyedOperations, type PreparedRequest } from '../support/keyed-operations.ts';
import type { Response } from '../support/send-request.ts';
import { newTenant, type Tenant } from '../support/tenants.ts';

const faults: [string, CallFault][] = [
  ['resets the connection', { kind: 'reset' }],
  ['does not respond', { kind: 'hold', released: new Promise(() => {}) }],
];

const everyCall = ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'TransactWriteItems'] as const;

// errors.test.ts has the errors that DynamoDB responds.
test.for([
  ...faults,
  ['always conflicts', errorResponse('TransactionCanceledException:TransactionConflict')] as const,
])(
  'every POST returns 503 while DynamoDB %s, has done nothing, and works after that',
  async ([, fault], { faulty, tenant, ask }) => {
    const askKeyed = (intent: PreparedRequest) => ask(intent, intent.about);
    const intents = await Promise.all(keyedOperations.map(({ prepare }) => prepare(tenant)));
    const only = fault.kind === 'response' && fault.type.includes(':');
    for (const operation of only ? (['TransactWriteItems'] as const) : everyCall) {
      faulty.dynamodb.inject({ operation, fault });
    }

    const failed = await Promise.all(intents.map(askKeyed));

    faulty.heal();
    faulty.clock.advance(11_000);
    for (const [i, { name, route }] of keyedOperations.entries()) {
      const [intent, response] = [intents[i] as PreparedRequest, failed[i] as Response];
      expect([name, response.status, response.body.code]).toEqual([name, 503, 'unavailable']);
      expect(response.headers.get('retry-after')).toBe('1');
      expect(await intent.effects()).toEqual([]);
      expect((await askKeyed(intent)).status).toBe(route.status);
      expect(await intent.effects()).toHaveLength(1);
    }
  },
);

test.for([...faults, ['fails', errorResponse('InternalServerError')] as const])(
  'a list, and a token that cannot be looked up, get 503 while DynamoDB %s',
  async ([, fault], { faulty }) => {
    const known = await newTenant();
    const list = ({ token }: Tenant) => faulty.call('GET', '/v1/sandboxes', { token });
    expect((await list(known)).status).toBe(200);
    const tenants = [known, await newTenant()];
    faulty.dynamodb.inject({ operation: 'Query', fault });
    faulty.dynamodb.inject({ operation: 'GetItem', about: 'TOKEN#', fault });
    for (const { status, body, headers } of await Promise.all(tenants.map(list))) {
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    }
    faulty.heal();
    for (const each of tenants) expect((await list(each)).status).toBe(200);
  },
);
