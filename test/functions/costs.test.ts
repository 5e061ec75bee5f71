import { describe, expect, test } from 'vitest';
import { approvePaymentRequest } from '../../functions/approve-payment-request.contract.ts';
import type { OperationRequest } from '../../functions/contract/operation.ts';
import { createSandbox } from '../../functions/create-sandbox.contract.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { listSandboxes } from '../../functions/list-sandboxes.contract.ts';
import { resendOffer } from '../../functions/resend-offer.contract.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { approvalItem } from '../../functions/store/payment-requests.ts';
import { sandboxItem } from '../../functions/store/sandboxes.ts';
import type { SeenCall } from '../support/fault-proxy.ts';
import { inserted, messages, type Sent } from '../support/function-events.ts';
import { putAll } from '../support/put-all.ts';
import { offerRecord, requestRecord } from '../support/records.ts';
import {
  approvalBy,
  newOffer,
  newPaymentRequest,
  newSandboxes,
  newTenant,
  waitingSandbox,
} from '../support/tenants.ts';
import { useFunctions } from '../support/use-functions.ts';
import { failuresOf, responseOf } from './responses.ts';

const { proxied, tenant } = await useFunctions();

/** A new instance of a route's function, and the calls to DynamoDB that its requests make. */
const startCounting = async (route: Route) => {
  const { proxy: dynamodb, lambda } = await proxied(route.functionName);
  const ask = async (sent: Partial<Sent>) => {
    const before = dynamodb.seen.length;
    const response = await responseOf(lambda, route, { tenant, ...sent });
    expect(response.status).toBe(route.status);
    return { ...response, calls: dynamodb.seen.slice(before) };
  };
  return { dynamodb, ask };
};

const operationsIn = (calls: readonly SeenCall[]) => calls.map(({ operation }) => operation);

/**
 * Each write of a transaction costs 2 units for every KB, and these items are smaller than one:
 * "Read and write request units" (DynamoDB Developer Guide). DynamoDB Local counts some of them.
 */
const writeUnitsOf = (calls: readonly SeenCall[]) =>
  calls
    .filter(({ operation }) => /^(Put|Update|Transact)/.test(operation))
    .map(({ operation, body, consumed = Number.NaN }) =>
      operation.startsWith('T') ? 2 * JSON.parse(body).TransactItems.length : consumed,
    )
    .reduce((sum, units) => sum + units, 0);

const approval = ({ id }: { readonly id: string }) =>
  approvePaymentRequest.request({ id, manager: tenant.manager });
const sandbox = createSandbox.request({ name: 'Counted' });

/** A payment request with so many approvals. */
const approvals = async (count: number, status: 'approved' | 'paid') => {
  const { id } = await newPaymentRequest(tenant.workspace, { status });
  const all = Array.from({ length: count }, () => approvalItem(approvalBy(tenant.manager, id)));
  await putAll(all);
  return { id };
};

/** An operation's request, and its calls: those of a round go side by side. */
interface Cost {
  readonly prepare: () => Promise<OperationRequest>;
  readonly rounds: readonly string[][];
  /** The same with a key: its record is begun beside what is loaded. */
  readonly keyed: readonly string[][];
}

const record = 'PutItem';

describe('the calls to DynamoDB that wait for one another', () => {
  const costs: Readonly<Record<keyof typeof routes, Cost>> = {
    approvePaymentRequest: {
      prepare: async () => approval(await newPaymentRequest(tenant.workspace)),
      rounds: [['GetItem', 'Query'], ['TransactWriteItems']],
      keyed: [['GetItem', record, 'Query'], ['TransactWriteItems']],
    },
    createSandbox: {
      prepare: async () => sandbox,
      rounds: [['PutItem']],
      keyed: [[record], ['TransactWriteItems']],
    },
    listSandboxes: {
      prepare: async () => listSandboxes.request({}),
      rounds: [['Query']],
      keyed: [],
    },
    resendOffer: {
      prepare: async () => resendOffer.request(await newOffer(tenant.workspace)),
      rounds: [['GetItem'], ['TransactWriteItems']],
      keyed: [['GetItem', record], ['TransactWriteItems']],
    },
  };

  /** Asks while each call is held until the others of its round have come. */
  const askInRounds = async (
    { dynamodb, ask }: Awaited<ReturnType<typeof startCounting>>,
    sent: Partial<Sent>,
    rounds: readonly string[][],
  ) => {
    for (const round of rounds) {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      let missing = round.length;
      const onCall = () => {
        missing -= 1;
        if (missing === 0) release();
      };
      for (const operation of round) {
        dynamodb.inject({ operation, calls: [1], fault: { kind: 'hold', released, onCall } });
      }
    }
    const { calls, body } = await ask(sent);
    const names = operationsIn(calls);
    const seen = rounds.map(({ length }) => names.splice(0, length).sort());
    expect([...seen, ...names]).toEqual(rounds);
    return body;
  };

  test('of an approval of a seen version are no more, also of a request that is approved', async () => {
    const lambda = await startCounting(routes.approvePaymentRequest);
    for (const status of ['pending', 'approved'] as const) {
      const sent = approval(await newPaymentRequest(tenant.workspace, { status }));
      await askInRounds(lambda, { ...sent, headers: { 'If-Match': '"0"' } }, [
        ['GetItem', 'Query'],
        ['TransactWriteItems'],
      ]);
    }
  });

  test.each(Object.entries(costs))(
    'of %s are as listed, also with a key',
    async (operation, { prepare, rounds, keyed }) => {
      const route: Route = routes[operation as keyof typeof routes];
      const lambda = await startCounting(route);
      const sent = await prepare();
      await askInRounds(lambda, sent, rounds);
      if (route.method === 'GET') return;
      const key = newOpaque();
      await askInRounds(lambda, { ...sent, key }, keyed);
      const replay = await lambda.ask({ ...sent, key });
      expect(replay.headers['Idempotent-Replayed']).toBe('true');
      // The replay has its response at once; what is loaded beside the record may not even be sent.
      expect(operationsIn(replay.calls)).toContain(record);
      expect(writeUnitsOf(replay.calls.filter(({ operation }) => operation !== record))).toBe(0);
    },
  );

  test('approving a request with over 5 approvals takes one more call, and its replay none', async () => {
    const { id } = await approvals(60, 'approved');
    const lambda = await startCounting(routes.approvePaymentRequest);
    const sent = { ...approval({ id }), key: newOpaque() };
    const rounds = [['GetItem', record, 'Query'], ['Query'], ['TransactWriteItems']];
    const body = await askInRounds(lambda, sent, rounds);
    expect(body.approvals).toHaveLength(61);
    expect(body.approvals).toEqual([...body.approvals].sort());
    const replay = await lambda.ask(sent);
    expect(replay.calls.filter(({ operation }) => operation === 'Query').length).toBeLessThan(2);
  });

  test("a page's anchor is read beside the page", async () => {
    const [anchor] = await newSandboxes(tenant.workspace, 1);
    const request = listSandboxes.request({ starting_after: anchor?.id ?? '' });
    await askInRounds(await startCounting(routes.listSandboxes), request, [['GetItem', 'Query']]);
  });
});

describe('the write capacity', () => {
  test.each([
    ['approved', 1],
    ['paid', 4],
  ] as const)(
    'of approving what is %s is %i units, after 10 approvals and after 1,000',
    async (status, units) => {
      const { ask } = await startCounting(routes.approvePaymentRequest);
      for (const count of [10, 1000]) {
        const { id } = await approvals(count, status);
        const { calls, body } = await ask(approval({ id }));
        expect(writeUnitsOf(calls)).toBe(units);
        expect(body.approvals).toHaveLength(count + 1);
      }
    },
  );

  test.each([
    ['without a key', false, [4, 1, 4, 1]],
    ['with a key', true, [7, 5, 7, 5]],
  ])(
    '%s, of an approval, a later one, a resend and a new sandbox is as listed',
    async (_, keyed, units) => {
      const first = approval(await newPaymentRequest(tenant.workspace));
      const sent: [Route, OperationRequest][] = [
        [routes.approvePaymentRequest, first],
        [routes.approvePaymentRequest, first],
        [routes.resendOffer, resendOffer.request(await newOffer(tenant.workspace))],
        [routes.createSandbox, sandbox],
      ];
      const spent: number[] = [];
      for (const [route, request] of sent) {
        const { ask } = await startCounting(route);
        const { calls } = await ask({ ...request, ...(keyed && { key: newOpaque() }) });
        spent.push(writeUnitsOf(calls));
      }
      expect(spent).toEqual(units);
    },
  );
});

test("an event costs one read (an approval's two) and no write", async () => {
  const { proxy: dynamodb, lambda: publisher } = await proxied('publish-events');
  const { id } = await newPaymentRequest(tenant.workspace);
  await publisher.invoke(inserted(sandboxItem(waitingSandbox(tenant.workspace))));
  expect(operationsIn(dynamodb.seen)).toEqual(['GetItem']);
  await publisher.invoke(inserted(approvalItem(approvalBy(tenant.manager, id))));
  expect(operationsIn(dynamodb.seen)).toEqual(['GetItem', 'GetItem', 'GetItem']);
  expect(dynamodb.seen.map(({ consumed }) => consumed)).toEqual([1, 1, 1]);
});

test('a batch of events reads each of its workspaces and payment requests once', async () => {
  const { proxy: dynamodb, lambda: publisher } = await proxied('publish-events');
  const { id } = await newPaymentRequest(tenant.workspace);
  const made = Array.from({ length: 50 }, () => sandboxItem(waitingSandbox(tenant.workspace)));
  const approved = Array.from({ length: 50 }, () => approvalItem(approvalBy(tenant.manager, id)));
  await publisher.invoke(inserted(...made, ...approved));
  expect(operationsIn(dynamodb.seen)).toEqual(['GetItem', 'GetItem']);
});

test('an import reads its record and workspace side by side, then writes once if it is news', async () => {
  const { proxy: dynamodb, lambda } = await proxied('import-record');
  const request = requestRecord();
  const offer = offerRecord({ status: 'sent' });
  const costOf = async (message: object) => {
    const before = dynamodb.seen.length;
    const body = JSON.stringify({ workspace: tenant.workspace, ...message });
    expect(await failuresOf(lambda, messages(body))).toEqual([]);
    const calls = dynamodb.seen.slice(before);
    return [...operationsIn(calls), writeUnitsOf(calls)];
  };
  const reads = ['GetItem', 'GetItem'];
  const first = { version: 1, payment_request: request };
  expect(await costOf(first)).toEqual([...reads, 'PutItem', 1]);
  expect(await costOf(first)).toEqual([...reads, 0]);
  expect(await costOf({ ...first, version: 2 })).toEqual([...reads, 'UpdateItem', 1]);
  const firstSend = { version: 1, offer, send: true };
  expect(await costOf(firstSend)).toEqual([...reads, 'TransactWriteItems', 4]);
});

test('a page reads one item more than it shows, wherever it is, in either direction', async () => {
  const owner = await newTenant();
  const sandboxes = await newSandboxes(owner.workspace, 30);
  const { ask } = await startCounting(routes.listSandboxes);
  const middle = sandboxes[15]?.id ?? '';
  const limit = '5';
  const pages = [{ limit }, { limit, starting_after: middle }, { limit, ending_before: middle }];
  for (const page of pages) {
    const scanned = async (query: Parameters<typeof listSandboxes.request>[0]) => {
      const { calls, body } = await ask({
        tenant: owner,
        ...listSandboxes.request(query),
      });
      expect(calls.find(({ operation }) => operation === 'Query')?.scanned).toBe(6);
      return body.cursor;
    };
    const cursor = await scanned(page);
    await scanned({ limit, cursor });
  }
});
