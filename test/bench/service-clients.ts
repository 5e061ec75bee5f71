/**
 * The clients of the whole service, in a process of their own: `node service-clients.ts URL
 * ROUNDS`. In each round 16 of them first do what the endpoint does in DynamoDB, with the store's
 * functions, and then ask the endpoint; or the other way round. Sends a `Measured` to its parent
 * for each endpoint.
 */

import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { requestInit } from '../../bin/openapi/request-init.ts';
import { newDeliveryAttempt, type Offer, resend } from '../../functions/domain/offer.ts';
import {
  type Approval,
  approve,
  type PaymentRequest,
} from '../../functions/domain/payment-request.ts';
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
import { author } from '../support/author.ts';
import { putAll } from '../support/put-all.ts';
import { newOffer, newPaymentRequest, newSandboxes, newTenant } from '../support/tenants.ts';

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
const agent = new Agent({ keepAlive: true, maxSockets: clients });
const tenant = await newTenant();
const { workspace } = tenant;
const caller = { ...tenant, scopes: '' };
const now = () => new Date().toISOString();

/**
 * An endpoint: how to ask for it, and the same work without it. Ids are of what it is to work on.
 */
interface Endpoint {
  readonly name: string;
  readonly prepare: () => Promise<string[]>;
  readonly overHttp: (id: string) => Promise<void>;
  readonly direct: (id: string) => Promise<unknown>;
}

const names = () => Array.from({ length: requestsPerRound }, newOpaque);

const [somePaymentRequest, someOffer] = [
  await newPaymentRequest(workspace),
  await newOffer(workspace),
];
await newSandboxes(workspace, 30);

const endpoints: Endpoint[] = [
  {
    name: 'approve-payment-request',
    prepare: async () => {
      const requests = names().map(
        (name): PaymentRequest => ({ ...somePaymentRequest, id: `ptr_${name}` }),
      );
      await putAll(requests.map((each) => paymentRequestItem(workspace, each)));
      return requests.map(({ id }) => id);
    },
    overHttp: (id) =>
      ask('POST', `/v1/payment-requests/${id}/approve`, { approver: tenant.manager }),
    direct: async (id) => {
      const [before, manager] = await Promise.all([
        loadPaymentRequest(caller, id),
        findManager(tenant.account, tenant.manager),
      ]);
      const approval: Approval = {
        id: `apprdec_${newOpaque()}`,
        payment_request: id,
        approver: tenant.manager,
        created: now(),
      };
      const approved = approve(before, manager, approval);
      await saveApproval(before, approved, approval, author);
      return approved;
    },
  },
  {
    name: 'create-sandbox',
    prepare: async () => names(),
    overHttp: (name) => ask('POST', '/v1/sandboxes', { name }),
    direct: (name) => saveNewSandbox(newSandbox(workspace, { name }, newOpaque(), now()), author),
  },
  {
    name: 'list-sandboxes',
    prepare: async () => names(),
    overHttp: () => ask('GET', '/v1/sandboxes'),
    direct: () => querySandboxes(workspace, 10),
  },
  {
    name: 'resend-offer',
    prepare: async () => {
      const offers = names().map((name): Offer => ({ ...someOffer, id: `ofr_${name}` }));
      await putAll(offers.map((each) => offerItem(workspace, each)));
      return offers.map(({ id }) => id);
    },
    overHttp: (id) => ask('POST', `/v1/offers/${id}/resend`),
    direct: async (id) => {
      const offer = await loadOffer(caller, id);
      const attempt = newDeliveryAttempt(id, newOpaque(), now());
      await saveDeliveryAttempt(workspace, offer, resend(offer, attempt), attempt, author);
    },
  },
];

const measure = async ({ name, prepare, overHttp, direct }: Endpoint): Promise<Measured> => {
  const measured = {
    endpoint: name,
    overHttp: [] as number[],
    direct: [] as number[],
    latenciesMs: [] as number[],
  };
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
  const waiting = [...ids];
  const begin = performance.now();
  const client = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const asked = performance.now();
      await run(id);
      latenciesMs.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return (1000 * ids.length) / (performance.now() - begin);
};

/** With Node's own client, which takes the least from what is measured. */
const ask = async (method: string, path: string, given?: object): Promise<void> => {
  const { headers, body } = requestInit(method, { token: tenant.token, body: given });
  const outgoing = request(`${url}${path}`, { method, agent, headers }).end(body);
  const [response] = await once(outgoing, 'response');
  response.resume();
  await once(response, 'end');
  if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode}`);
};

for (const endpoint of endpoints) process.send?.(await measure(endpoint));
agent.destroy();
process.exit();
