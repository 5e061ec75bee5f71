import { setTimeout as sleep } from 'node:timers/promises';
import { routes } from '../../functions/domain/routes.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { requestTo } from '../support/events.ts';
import { FaultProxy, type SeenCall } from '../support/fault-proxy.ts';
import { newOffer, newPaymentRequest, newSandboxes, newTenant } from '../support/tenants.ts';
import type { Part, Row } from './row.ts';
import { requireSuccess } from './scenarios.ts';
import { exactly } from './spread.ts';
import type { World } from './world.ts';

/** A request, and what it may cost. */
interface Budget {
  readonly name: string;
  readonly functionName: string;
  readonly event: unknown;
  readonly roundTrips: number;
  readonly writeUnits?: number;
}

/**
 * Counts what each request asks of DynamoDB: calls that wait for one another, write units, and the
 * items that a page reads. Each is the first of a fresh instance, so calls while the module is
 * loaded would count.
 */
export const roundTrips: Part = {
  name: 'round-trips',
  measure: async (world) => {
    world.progress('round trips and capacity, counted between the functions and DynamoDB');
    const rows: Row[] = [];
    for (const budget of await budgets()) {
      const { inARow, seen } = await countCalls(world, budget);
      rows.push({
        what: `Round trips: ${budget.name}`,
        measured: exactly(inARow),
        unit: 'in a row',
        target: { most: budget.roundTrips },
        note: seen.map(({ operation }) => operation).join(', '),
      });
      if (budget.writeUnits !== undefined) {
        rows.push({
          what: `Write capacity: ${budget.name}`,
          measured: exactly(writeUnitsOf(seen)),
          unit: 'units',
          target: { most: budget.writeUnits },
        });
      }
      const [scanned] = seen.flatMap((call) => call.scanned ?? []);
      if (scanned !== undefined && budget.functionName === 'list-sandboxes') {
        rows.push({
          what: `Items read for a page of 10: ${budget.name}`,
          measured: exactly(scanned),
          unit: 'items',
          target: { most: 11 },
        });
      }
    }
    return rows;
  },
};

const budgets = async (): Promise<Budget[]> => {
  const tenant = await newTenant();
  const { workspace, manager } = tenant;
  const sandboxes = await newSandboxes(workspace, 15);
  const body = { approver: manager };
  const approve = async (key?: string) => ({
    functionName: routes.approvePaymentRequest.functionName,
    event: requestTo(routes.approvePaymentRequest, {
      tenant,
      id: (await newPaymentRequest(workspace)).id,
      body,
      ...(key && { key }),
    }),
  });
  const create = (key?: string) => ({
    functionName: routes.createSandbox.functionName,
    event: requestTo(routes.createSandbox, {
      tenant,
      body: { name: 'Sandbox' },
      ...(key && { key }),
    }),
  });
  const list = (parameters: Record<string, string[]> | null) => ({
    functionName: routes.listSandboxes.functionName,
    event: requestTo(
      routes.listSandboxes,
      { tenant },
      { multiValueQueryStringParameters: parameters },
    ),
  });
  const resend = async (key?: string) => ({
    functionName: routes.resendOffer.functionName,
    event: requestTo(routes.resendOffer, {
      tenant,
      id: (await newOffer(workspace)).id,
      ...(key && { key }),
    }),
  });
  const keyed = { ...(await resend(newOpaque())), name: 'resend with a key', roundTrips: 4 };
  return [
    { ...(await approve()), name: 'approve', roundTrips: 2, writeUnits: 4 },
    { ...(await approve(newOpaque())), name: 'approve with a key', roundTrips: 4 },
    { ...create(), name: 'create', roundTrips: 1, writeUnits: 1 },
    { ...create(newOpaque()), name: 'create with a key', roundTrips: 3 },
    { ...list(null), name: 'list', roundTrips: 1 },
    {
      ...list({ starting_after: [sandboxes.at(-1)?.id ?? ''] }),
      name: 'list starting after a sandbox',
      roundTrips: 1,
    },
    { ...(await resend()), name: 'resend', roundTrips: 2 },
    keyed,
    { ...keyed, name: 'resend again with the same key', roundTrips: 1 },
  ];
};

/** All that a request may ask of DynamoDB. */
const operations = [
  'GetItem',
  'Query',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'TransactWriteItems',
];
/** So long after a call, no other one is coming that did not wait for its reply. */
const quietMs = 60;

/**
 * Holds every call back until no other one comes: those that are held together go side by side, and
 * how often that happens is how many go one after another.
 */
const countCalls = async (
  world: World,
  { name, functionName, event }: Budget,
): Promise<{ inARow: number; seen: SeenCall[] }> => {
  const proxy = await FaultProxy.start();
  proxy.forwardTo(world.stack.endpoints.dynamodb);
  let held = Promise.withResolvers<void>();
  for (const operation of operations) {
    proxy.inject({
      operation,
      fault: {
        kind: 'hold',
        get released() {
          return held.promise;
        },
      },
    });
  }
  const lambda = world.lambda(functionName, { AWS_ENDPOINT_URL_DYNAMODB: proxy.url });
  let answered = false;
  const invocation = lambda.invoke(event).finally(() => {
    answered = true;
  });
  let inARow = 0;
  for (let released = 0; !answered; await sleep(1)) {
    const waiting = proxy.seen.length;
    if (waiting === released) continue;
    await sleep(quietMs);
    if (proxy.seen.length > waiting) continue;
    inARow += 1;
    released = waiting;
    held.resolve();
    held = Promise.withResolvers();
  }
  requireSuccess(name, await invocation);
  await lambda.stop();
  await proxy.stop();
  return { inARow, seen: proxy.seen };
};

const writeUnitsOf = (seen: readonly SeenCall[]): number =>
  seen
    .filter(({ operation }) => !/^(GetItem|Query)$/.test(operation))
    .reduce((sum, { operation, consumed = 0 }) => {
      // AWS counts each write of a transaction twice ("Read/write capacity units", DynamoDB
      // Developer Guide, "Amazon DynamoDB Transactions"); DynamoDB Local does not.
      return sum + consumed * (operation === 'TransactWriteItems' ? 2 : 1);
    }, 0);
