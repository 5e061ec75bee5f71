import { setTimeout as sleep } from 'node:timers/promises';
import { requestInit } from '../../bin/openapi/request-init.ts';
import type { FaultyService } from '../support/faulty-service.ts';
import { newOffer, newPaymentRequest, newTenant, type Tenant } from '../support/tenants.ts';
import type { Step } from './history.ts';

/** A tenant with something to do things to. */
export interface Company extends Tenant {
  readonly offers: readonly string[];
  readonly paymentRequests: readonly string[];
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

/** What a client was told; status 0 when the connection broke. */
export interface Told {
  readonly status: number;
  readonly text: string;
}

/** Everything that was asked for one purpose, and every answer to it. */
export interface Asked {
  readonly step: Step;
  /** The same for all steps that are one intent; each step without a key is one of its own. */
  readonly intent: string;
  readonly answers: Told[];
}

export const intentOf = ({ tenant, operation, target, key }: Step, index: number): string =>
  key === null ? `step ${index}` : `${tenant} ${operation} ${target} ${key}`;

/** Does what a step says: asks, and asks again as a client would, but not for ever. */
export const take = async (url: string, companies: readonly Company[], asked: Asked) => {
  const { step, answers } = asked;
  await sleep(step.startAfterMs);
  // Without a key a client that got no answer must not ask again: it may have been done.
  const tries = step.key === null ? 1 : 1 + step.retries;
  for (let count = 0; count < tries; count++) {
    const told = await ask(url, companies, step);
    answers.push(told);
    if (told.status >= 200 && told.status < 300) return;
    await sleep(20);
  }
};

export const ask = async (
  url: string,
  companies: readonly Company[],
  { tenant, operation, target, key }: Step,
): Promise<Told> => {
  const company = companies[tenant] as Company;
  const { path, body } = {
    resend: { path: `/v1/offers/${company.offers[target]}/resend`, body: undefined },
    approve: {
      path: `/v1/payment-requests/${company.paymentRequests[target]}/approve`,
      body: { approver: company.manager },
    },
    create: { path: '/v1/sandboxes', body: { name: `Sandbox ${target}` } },
  }[operation];
  try {
    const call = { token: company.token, body, ...(key !== null && { key: `${target} ${key}` }) };
    const response = await fetch(`${url}${path}`, requestInit('POST', call));
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: 0, text: '' };
  }
};

/**
 * How often to look at idle functions; what has not come to rest by then will not do so by itself.
 */
const looks = 300;

/**
 * Waits until everything behind the queues has come to rest: until it is quiet twice in a row,
 * since the table and the queues cannot be looked at in the same moment.
 */
export const rest = async (service: FaultyService, busy: () => Promise<boolean>): Promise<void> => {
  let quiet = 0;
  for (let idle = 0; idle < looks && quiet < 2; ) {
    quiet = (await busy()) ? 0 : quiet + 1;
    if (service.passTime()) idle += 1;
    await sleep(60);
  }
};
