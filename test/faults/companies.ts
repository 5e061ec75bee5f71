import { setTimeout as sleep } from 'node:timers/promises';
import { pathOf } from '../../functions/contract/operation.ts';
import type { FaultyService } from '../support/faulty-service.ts';
import { approve, create, isSuccess, resend } from '../support/keyed-operations.ts';
import { requestRecord } from '../support/records.ts';
import { type Response, sendRequest } from '../support/send-request.ts';
import { newOffer, newPaymentRequest, newTenant, type Tenant } from '../support/tenants.ts';
import type { ClientStep, RecordStep } from './history.ts';

/** A tenant with something to do things to. */
export interface Company extends Tenant {
  readonly offers: readonly [string, string];
  readonly paymentRequests: readonly [string, string];
}

export const newCompany = async (): Promise<Company> => {
  const tenant = await newTenant();
  const { workspace } = tenant;
  return {
    ...tenant,
    offers: [(await newOffer(workspace)).id, (await newOffer(workspace)).id],
    paymentRequests: [
      (await newPaymentRequest(workspace)).id,
      (await newPaymentRequest(workspace)).id,
    ],
  };
};

/** The response that a client got; status 0 when the connection broke. */
export type ClientResponse = Pick<Response, 'status' | 'text'>;

/** The operations of histories. */
export const operations = { approve, create, resend };

/** A step that a client has taken, and every response to it. */
export interface TakenStep {
  readonly step: ClientStep;
  /** The same for all steps that are one intent; each step without a key is one of its own. */
  readonly intent: string;
  readonly responses: ClientResponse[];
}

export const intentOf = ({ tenant, operation, target, key }: ClientStep, index: number): string =>
  key === null ? `step ${index}` : `${tenant} ${operation} ${target} ${key}`;

/** The version that an approval's If-Match names, or 0 for none: one for each intent. */
export const seenVersion = ({ key, retries }: ClientStep): number => key ?? retries;

/** What a company's request says in a version; 0 is that with which it is made. */
export const amountOf = (version: unknown): string => (version === 0 ? '1250.00' : `${version}.00`);

/** The message with a record. */
export const messageOf = (companies: readonly Company[], step: RecordStep): string => {
  const { workspace, paymentRequests } = companies[step.tenant] as Company;
  const { version, status, note } = step;
  const fields = { worker: `wr_${version}`, amount: amountOf(version), status, note };
  const payment_request = requestRecord({ id: paymentRequests[step.target], ...fields });
  return JSON.stringify({ workspace, version, payment_request });
};

/** Sends the request of a step, and retries it as a client would, but not for ever. */
export const takeStep = async (url: string, companies: readonly Company[], taken: TakenStep) => {
  const { step, responses } = taken;
  await sleep(step.startAfterMs);
  // Without a key a client that got no response must not retry: it may have been done.
  const tries = step.key === null ? 1 : 1 + step.retries;
  for (let count = 0; count < tries; count++) {
    const response = await sendStep(url, companies, step);
    responses.push(response);
    if (isSuccess(response)) return;
    await sleep(20);
  }
};

export const sendStep = async (
  url: string,
  companies: readonly Company[],
  step: ClientStep,
): Promise<ClientResponse> => {
  const { tenant, operation, target, key } = step;
  const version = seenVersion(step) || undefined;
  const company = companies[tenant] as Company;
  const { manager, offers, paymentRequests, token } = company;
  const request = {
    resend: () => resend.request({ id: offers[target] }),
    approve: () => approve.request({ id: paymentRequests[target], manager, version }),
    create: () => create.request({ name: `Sandbox ${target}` }),
  }[operation]();
  const { route } = operations[operation];
  const content = { ...request, token, ...(key !== null && { key: `${target} ${key}` }) };
  const address = `${url}${pathOf(route, request)}`;
  return sendRequest(address, route.method, content).catch(() => ({ status: 0, text: '' }));
};

/**
 * How often to look at idle functions; what has not come to rest by then will not do so by itself.
 */
const looks = 300;

/**
 * Waits until everything behind the queues has come to rest: until it is quiet twice in a row,
 * since the table and the queues cannot be looked at in the same moment.
 */
export const waitUntilIdle = async (
  service: FaultyService,
  busy: () => Promise<boolean>,
): Promise<void> => {
  let quiet = 0;
  for (let idle = 0; idle < looks && quiet < 2; ) {
    quiet = (await busy()) ? 0 : quiet + 1;
    if (service.passTime()) idle += 1;
    await sleep(60);
  }
};
