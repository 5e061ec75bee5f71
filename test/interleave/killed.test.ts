import { stop } from 'esbuild';
import { afterAll, expect } from 'vitest';
import { killing } from '../support/faulty-service.ts';
import { type Ask, test as base, type Faulty } from '../support/faulty-stack.ts';
import { preparableOperations } from '../support/prepared-requests.ts';
import type { Tenant } from '../support/tenants.ts';
import { caseNamed } from './cases.ts';
import { runOnce, useDatabase } from './check.ts';
import { tableName } from './function-variables.ts';
import { Follower, readLine } from './line.ts';
import { compileFunctions, type Programs } from './programs.ts';

const test = base.extend('programs', { scope: 'file' }, async ({ faultyService }) => {
  const { TABLE_NAME } = process.env;
  await useDatabase(faultyService.stack.endpoints.dynamodb);
  process.env.TABLE_NAME = TABLE_NAME;
  return compileFunctions([], ['resend-offer']);
});
afterAll(stop);

const [resend] = preparableOperations;
const leaseMs = 11_000;

/**
 * How a client's second try ends, after the first one's function has really died. Schedules take it
 * for granted that a function that dies is one whose calls never return.
 */
const killed = async (
  { faulty, tenant, ask }: { faulty: Faulty; tenant: Tenant; ask: Ask },
  operation: string,
  kind: 'killBefore' | 'killAfter',
) => {
  const intent = await resend?.prepare(tenant);
  if (!intent) throw new Error('There is no operation.');
  const fault = killing(faulty, resend?.lambda ?? '', kind);
  // The authorizer reads too. The record does not name the offer, but is the first item that is
  // put.
  const about = operation === 'PutItem' ? '' : intent.about;
  faulty.dynamodb.inject({ operation, about, calls: [1], fault });
  const key = operation + kind;
  const first = await ask(intent, key);
  faulty.heal();
  faulty.clock.advance(leaseMs);
  const { status, headers } = await ask(intent, key);
  return {
    first: first.status < 500,
    status,
    isReplay: headers.get('idempotent-replayed') === 'true',
    effects: (await intent.effects()).length,
  };
};

/** The same in a schedule: the call never returns, and arrives or not. */
const scheduled = async (
  { faulty, programs }: { faulty: Faulty; programs: Programs },
  before: string,
  name: string,
  ending: 'done' | 'dropped',
) => {
  const { TABLE_NAME } = process.env;
  process.env.TABLE_NAME = tableName;
  const { steps } = readLine(`resend-alone ${before} ${name}:killed ${name}~:${ending}`);
  const { choose } = new Follower(steps, false);
  const { dynamodb } = faulty.stack.endpoints;
  const run = await runOnce({ programs, dynamodb }, caseNamed('resend-alone+2faults'), choose);
  process.env.TABLE_NAME = TABLE_NAME;
  const [first, last] = run.tries;
  return {
    first: (first?.status ?? 0) > 0,
    status: last?.status,
    isReplay: last?.isReplay,
    effects: run.items.filter(({ type }) => type === 'DELIVERY').length,
  };
};

test.for([
  ['PutItem', '', 'A1'],
  ['GetItem', 'A1', 'A2'],
  ['TransactWriteItems', 'A1 A2', 'A3'],
] as const)(
  'a function that really dies at %s leaves what a schedule leaves',
  async ([operation, before, name], { faulty, tenant, ask, programs }) => {
    const service = { faulty, tenant, ask, programs };
    expect(await killed(service, operation, 'killBefore')).toEqual(
      await scheduled(service, before, name, 'dropped'),
    );
    expect(await killed(service, operation, 'killAfter')).toEqual(
      await scheduled(service, before, name, 'done'),
    );
  },
);
