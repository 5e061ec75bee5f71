import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Offer } from '../../functions/domain/offer.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { managerItem } from '../../functions/store/managers.ts';
import { offerItem } from '../../functions/store/offers.ts';
import { paymentRequestItem } from '../../functions/store/payment-requests.ts';
import { author } from '../support/author.ts';
import { requestTo } from '../support/events.ts';
import {
  newTenantIds,
  pendingPaymentRequest,
  sentOffer,
  type TenantIds,
} from '../support/tenants.ts';
import type { Item, Prepared } from './case.ts';
import {
  approve,
  create,
  isExplained,
  type Operation,
  resend,
  type Timed,
  type Try,
} from './contract.ts';
import { type Invoke, Killed, type Step, type Task } from './schedule.ts';
import { ordersOf } from './search.ts';

/** Longer than a function may run, and so than the lease of its record. */
export const recordLeaseMs = 15_000;

const managers = ['1', '2', '3'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);

/** What a client sends. */
export interface Sent {
  readonly key?: string;
  /** Which manager approves. */
  readonly manager?: number;
  /** Sent when time has passed. */
  readonly isLater?: boolean;
  /** Sent when the key has been forgotten: another intent. */
  readonly isNew?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

/** An operation, and what it is done to. */
export interface Target {
  readonly operation: Operation;
  readonly route: Route;
  readonly type: 'DELIVERY' | 'APPROVAL' | 'SANDBOX';
  readonly id?: string;
  readonly items: (tenant: TenantIds) => Item[];
  readonly body: (sent: Sent) => unknown;
}

const now = () => new Date().toISOString();

export const newOffer = (attempts = 0): Offer =>
  sentOffer({ attempts, recipient_email: 'worker@example.com' });

export const resendTarget = (): Target => {
  const offer = newOffer();
  return {
    operation: resend,
    route: routes.resendOffer,
    type: 'DELIVERY',
    id: offer.id,
    items: ({ workspace }) => [offerItem(workspace, offer)],
    body: () => undefined,
  };
};

export const createTarget = (): Target => ({
  operation: create,
  route: routes.createSandbox,
  type: 'SANDBOX',
  items: () => [],
  body: () => ({ name: 'Sandbox' }),
});

/** @param approvals those that there are already */
export const approveTarget = (
  status: 'pending' | 'approved',
  approvals: (paymentRequest: string) => Item[] = () => [],
): Target => {
  const request = pendingPaymentRequest({ status, worker: 'wr_1' });
  const { id } = request;
  return {
    operation: approve,
    route: routes.approvePaymentRequest,
    type: 'APPROVAL',
    id,
    items: ({ workspace, account }) => [
      paymentRequestItem(workspace, request),
      ...managers.map((manager) => managerItem({ id: manager, account, created: now() })),
      ...approvals(id),
    ],
    body: ({ manager = 0 }) => ({ approver: managers[manager] }),
  };
};

const token = 'tok_01M81D44Y4K8FP6EGWEYKQ3T3J';

/** The event of a request that the authorizer has let through. */
export const eventOf = (letter: string, tenant: TenantIds, target: Target, sent: Sent) => {
  const { route, id } = target;
  const { key } = sent;
  const body = target.body(sent);
  const { requestContext, ...event } = requestTo(route, {
    tenant,
    ...(id !== undefined && { id }),
    ...(body !== undefined && { body }),
    ...(key !== undefined && { key }),
  });
  const authorizer = { ...requestContext?.authorizer, token_id: token };
  return { ...event, requestContext: { requestId: `request-${letter}`, authorizer } };
};

/** Sends a request. @returns what the client was told */
export const send = async (
  letter: string,
  tenant: TenantIds,
  target: Target,
  sent: Sent,
  invoke: Invoke,
  steps: readonly Step[],
): Promise<Try> => {
  const told: APIGatewayProxyResult = await invoke(
    target.route.functionName,
    eventOf(letter, tenant, target, sent),
    sent.environment,
  )
    .then((answer) => answer as APIGatewayProxyResult)
    .catch((error: Error) => {
      if (!(error instanceof Killed)) throw error;
      return { statusCode: 0, headers: {}, body: '' };
    });
  const status = told.statusCode;
  return {
    letter,
    key: sent.key && `${sent.key}${sent.isNew ? ' later' : ''}`,
    request: JSON.stringify(target.body(sent)),
    status,
    text: told.body,
    isReplay: told.headers?.['Idempotent-Replayed'] === 'true',
    isDisturbed: steps.some(
      ({ task, outcome }) =>
        (task === 'time' && !sent.isLater) || (task === letter && outcome !== 'done'),
    ),
  };
};

/**
 * Clients that send these requests, A, B and so on; and at last, when every lease is over, one that
 * sends the first request with each key once more.
 */
export const clients = (target: Target, sent: readonly Sent[]): Prepared => {
  const tenant = newTenantIds();
  const tries: Try[] = [];
  const items = target.items(tenant).map((item) => ({ ...item, author }));
  const client = (letter: string, request: Sent): Task => ({
    letter,
    ...(request.isLater && { startsAfter: 'time' }),
    run: async (invoke, steps) => {
      tries.push(await send(letter, tenant, target, request, invoke, steps));
    },
  });
  // The first request with a key, or the one for which a forgotten key was used anew.
  const again = new Map<string, Sent>();
  for (const each of sent) {
    const { key, isNew } = each;
    if (key !== undefined && (isNew || !again.has(key))) again.set(key, each);
  }
  return {
    items,
    tasks: sent.map((each, index) => client(String.fromCharCode(65 + index), each)),
    last: {
      letter: 'Z',
      run: async (...args) => {
        for (const each of again.values()) await client('Z', each).run(...args);
      },
    },
    leaseMs: recordLeaseMs,
    tries,
    verdict: ({ items: left, steps }) => [
      ...lockedKeys(target, tries),
      ...unexplained(target, tries, items, left, steps),
    ],
  };
};

const lockedKeys = ({ route }: Target, tries: readonly Try[]): string[] =>
  tries
    .filter(({ letter, status }) => letter === 'Z' && status !== route.status && status !== 422)
    .map(({ status, text }) => `the last try was answered ${status} ${text}`);

/** @returns a sentence if no order of the tries explains what they were told and what there is */
export const unexplained = (
  { operation, type }: Target,
  tries: readonly Try[],
  before: readonly Item[],
  after: readonly Item[],
  steps: readonly Step[],
): string[] => {
  const ids = (all: readonly Item[]) =>
    all.filter((item) => item.type === type).map((item) => String(item.id));
  const letters = tries.map(({ letter }) => letter).filter((letter) => letter !== 'Z');
  const isExplainedIn = (order: readonly Step[]) =>
    isExplained(
      operation,
      tries.map((each) => timed(each, order)),
      ids(before),
      ids(after),
    );
  if (ordersOf(steps, letters).every(isExplainedIn)) return [];
  const told = tries.map(({ letter, status, text }) => `${letter} ${status} ${text}`);
  return [`no order explains ${told.join(', ')} and the effects ${ids(after)}`];
};

const timed = (each: Try, steps: readonly Step[]): Timed => {
  const isOwn = ({ task, name }: Step) => task === each.letter && !name.endsWith('~');
  const [from, last] = [steps.findIndex(isOwn), steps.findLastIndex(isOwn)];
  const mayStillCome = last < 0 || each.status === 0 || each.status === 504;
  return {
    ...each,
    // The last client has no steps, nor has one whose time was over before its first call was done.
    from: each.letter === 'Z' ? steps.length : Math.max(0, from),
    to: mayStillCome ? Number.POSITIVE_INFINITY : last + 1,
  };
};
