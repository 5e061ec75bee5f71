import { stop } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killing } from '../support/faulty-service.ts';
import { useFaultyStack } from '../support/faulty-stack.ts';
import { operations } from '../support/prepared-requests.ts';
import { caseNamed } from './cases.ts';
import { runOnce } from './check.ts';
import { tableName } from './function-variables.ts';
import { Follower, readLine } from './line.ts';
import { compileFunctions, type Programs } from './programs.ts';
import { useDatabase } from './schedule-table.ts';

// Schedules take it for granted that a function that dies is one whose calls never return.
const { faulty, tenant, ask } = useFaultyStack();
let programs: Programs;
beforeAll(async () => {
  const { TABLE_NAME } = process.env;
  await useDatabase(faulty.stack.endpoints.dynamodb);
  process.env.TABLE_NAME = TABLE_NAME;
  programs = await compileFunctions([], ['resend-offer']);
});
afterAll(stop);

const [resend] = operations;
const leaseMs = 11_000;

/** How a client's second try ends, after the first one's function has really died. */
const killed = async (operation: string, kind: 'killBefore' | 'killAfter') => {
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
const scheduled = async (before: string, name: string, ending: 'done' | 'dropped') => {
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

test.each([
  ['PutItem', '', 'A1'],
  ['GetItem', 'A1', 'A2'],
  ['TransactWriteItems', 'A1 A2', 'A3'],
])(
  'a function that really dies at %s leaves what a schedule leaves',
  async (operation, before, name) => {
    expect(await killed(operation, 'killBefore')).toEqual(await scheduled(before, name, 'dropped'));
    expect(await killed(operation, 'killAfter')).toEqual(await scheduled(before, name, 'done'));
  },
);
