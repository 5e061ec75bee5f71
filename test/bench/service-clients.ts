/**
 * The clients of the whole service, in a process of their own: `node service-clients.ts URL
 * ROUNDS`. In each round 16 of them first do what the endpoint does in DynamoDB, with the store's
 * functions, and then ask the endpoint; or the other way round. Sends a `Measured` to its parent
 * for each endpoint.
 */

import { request as sendRequest } from 'undici';
import { newDeliveryAttempt, resend } from '../../functions/domain/offer.ts';
import { approve } from '../../functions/domain/payment-request.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { newSandbox } from '../../functions/domain/sandbox.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { findManager } from '../../functions/store/managers.ts';
import { loadOffer, offerItem, saveDeliveryAttempt } from '../../functions/store/offers.ts';
import {
  loadPaymentRequest,
  paymentRequestItem,
  saveApproval,
} from '../../functions/store/payment-requests.ts';
import { querySandboxes, saveNewSandbox } from '../../functions/store/sandboxes.ts';
import { type OperationRequest, pathOf } from '../../lib/openapi/operation.ts';
import { operations } from '../../lib/openapi/operations.ts';
import { putAll } from '../support/put-all.ts';
import { requestInit } from '../support/send-request.ts';
import {
  approvalBy,
  newSandboxes,
  newTenant,
  pendingPaymentRequest,
  sentOffer,
} from '../support/tenants.ts';
import { author } from '../support/test-author.ts';

/** What the clients saw at one endpoint. */
export interface Measured {
  readonly endpoint: string;
  /** For each round, requests a second. */
  readonly overHttp: readonly number[];
  readonly direct: readonly number[];
  /** Of every request. */
  readonly latenciesMs: readonly number[];
}

const clients = 16;
const requestsPerRound = 192;

const [url = '', rounds = ''] = process.argv.slice(2);
const tenant = await newTenant();
const { workspace } = tenant;
const caller = { ...tenant, scopes: '' };
const now = () => new Date().toISOString();

/**
 * An endpoint: its request, and the same work without it. Ids are of what it is to work on.
 */
interface Endpoint {
  readonly route: Route;
  readonly prepare: () => Promise<string[]>;
  readonly request: (id: string) => OperationRequest;
  readonly direct: (id: string) => Promise<unknown>;
}

const many = <Made>(make: () => Made): Made[] => Array.from({ length: requestsPerRound }, make);

await newSandboxes(workspace, 30);

const endpoints: Endpoint[] = [
  {
    route: routes.approvePaymentRequest,
    prepare: async () => {
      const requests = many(pendingPaymentRequest);
      await putAll(requests.map((each) => paymentRequestItem(workspace, each)));
      return requests.map(({ id }) => id);
    },
    request: (id) => operations.approvePaymentRequest.request({ id, manager: tenant.manager }),
    direct: async (id) => {
      const [before, manager] = await Promise.all([
        loadPaymentRequest(caller, id),
        findManager(tenant.account, tenant.manager),
      ]);
      const approval = approvalBy(tenant.manager, id);
      const approved = approve(before, manager, approval);
      await saveApproval(before, approved, approval, author);
      return approved;
    },
  },
  {
    route: routes.createSandbox,
    prepare: async () => many(newOpaque),
    request: (name) => operations.createSandbox.request({ name }),
    direct: (name) => saveNewSandbox(newSandbox(workspace, { name }, newOpaque(), now()), author),
  },
  {
    route: routes.listSandboxes,
    prepare: async () => many(newOpaque),
    request: () => operations.listSandboxes.request({}),
    direct: () => querySandboxes(workspace, 10),
  },
  {
    route: routes.resendOffer,
    prepare: async () => {
      const offers = many(sentOffer);
      await putAll(offers.map((each) => offerItem(workspace, each)));
      return offers.map(({ id }) => id);
    },
    request: (id) => operations.resendOffer.request({ id }),
    direct: async (id) => {
      const offer = await loadOffer(caller, id);
      const attempt = newDeliveryAttempt(id, newOpaque(), now());
      await saveDeliveryAttempt(workspace, offer, resend(offer, attempt), attempt, author);
    },
  },
];

const measure = async ({ route, prepare, request, direct }: Endpoint): Promise<Measured> => {
  const measured = {
    endpoint: route.functionName,
    overHttp: [] as number[],
    direct: [] as number[],
    latenciesMs: [] as number[],
  };
  const overHttp = (id: string) => send(route, request(id));
  // The first round starts instances and warms them.
  for (let round = 0; round <= Number(rounds); round++) {
    const [first, second] = [await prepare(), await prepare()];
    const rates = {
      direct: () => rateOf(first, direct, []),
      overHttp: () => rateOf(second, overHttp, round === 0 ? [] : measured.latenciesMs),
    };
    const order = round % 2 ? (['direct', 'overHttp'] as const) : (['overHttp', 'direct'] as const);
    for (const way of order) {
      const rate = await rates[way]();
      if (round > 0) measured[way].push(rate);
    }
  }
  return measured;
};

/** @returns requests a second */
const rateOf = async (
  ids: readonly string[],
  run: (id: string) => Promise<unknown>,
  latenciesMs: number[],
): Promise<number> => {
  const waiting = ids.values();
  const begin = performance.now();
  const client = async () => {
    for (const id of waiting) {
      const asked = performance.now();
      await run(id);
      latenciesMs.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return (1000 * ids.length) / (performance.now() - begin);
};

const send = async (route: Route, request: OperationRequest): Promise<void> => {
  const { method } = route;
  const { headers, body = '' } = requestInit(method, { token: tenant.token, body: request.body });
  const path = pathOf(route, request);
  const answer = await sendRequest(`${url}${path}`, { method, headers, body: `${body}` });
  await answer.body.dump();
  if (answer.statusCode !== route.status) {
    throw new Error(`${method} ${path}: ${answer.statusCode}`);
  }
};

for (const endpoint of endpoints) process.send?.(await measure(endpoint));
process.exit();
