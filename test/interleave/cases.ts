import type { APIGatewayProxyResult } from 'aws-lambda';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { managerItem } from '../../functions/store/managers.ts';
import { offerItem } from '../../functions/store/offers.ts';
import { approvalItem, paymentRequestItem } from '../../functions/store/payment-requests.ts';
import { author } from '../support/author.ts';
import { requestTo } from '../support/events.ts';
import { approve, create, isExplained, type Operation, resend, type Try } from './contract.ts';
import { Killed, type Rules, type Task } from './schedule.ts';

export type Item = Readonly<Record<string, unknown>>;

/** What is left of a schedule. */
export interface Aftermath {
  readonly items: readonly Item[];
  readonly messages: readonly Readonly<Record<string, string>>[];
  readonly mails: readonly string[];
}

/** A case, ready for one schedule: with a tenant of its own. */
export interface Prepared {
  /** What there is before. */
  readonly items: readonly Item[];
  readonly tasks: readonly Task[];
  /** What a client does when everything is over and `passMs` have passed. */
  readonly last?: Task;
  readonly verdict: (aftermath: Aftermath) => string[];
  /** What the clients were told. */
  readonly tries: readonly Try[];
}

export interface Case extends Rules {
  readonly name: string;
  readonly about: string;
  /** How often a task is interrupted at most; any number unless given. */
  readonly preemptions?: number;
  readonly prepare: () => Prepared;
}

/** Longer than a function may run, and so than the lease of its record. */
const leaseMs = 15_000;

interface Tenant {
  readonly workspace: string;
  readonly account: string;
  readonly managers: readonly string[];
}

const newTenant = (): Tenant => {
  const opaque = newOpaque();
  return { workspace: `wsp_${opaque}`, account: `acc_${opaque}`, managers };
};
const managers = ['1', '2', '3'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);

/** What a client sends. */
interface Sent {
  readonly key?: string;
  /** Which manager approves. */
  readonly manager?: number;
  readonly isLater?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

/** An operation, and what it is done to. */
interface Target {
  readonly operation: Operation;
  readonly route: Route;
  readonly type: 'DELIVERY' | 'APPROVAL' | 'SANDBOX';
  readonly id?: string;
  readonly items: (tenant: Tenant) => Item[];
  readonly body: (tenant: Tenant, sent: Sent) => unknown;
}

const now = () => new Date().toISOString();

const resendTarget = (): Target => {
  const id = `ofr_${newOpaque()}`;
  const times = { created: now(), updated: now() };
  const offer = { id, status: 'sent', recipient_email: 'a@example.com', attempts: 0 } as const;
  return {
    operation: resend,
    route: routes.resendOffer,
    type: 'DELIVERY',
    id,
    items: ({ workspace }) => [offerItem(workspace, { ...offer, ...times })],
    body: () => undefined,
  };
};

const createTarget = (): Target => ({
  operation: create,
  route: routes.createSandbox,
  type: 'SANDBOX',
  items: () => [],
  body: () => ({ name: 'Sandbox' }),
});

const approveTarget = (
  status: 'pending' | 'approved',
  approvals: (id: string) => Item[] = () => [],
): Target => {
  const id = `ptr_${newOpaque()}`;
  return {
    operation: approve,
    route: routes.approvePaymentRequest,
    type: 'APPROVAL',
    id,
    items: ({ workspace, account, managers }) => [
      paymentRequestItem(workspace, {
        id,
        worker: 'wr_1',
        amount: '1250.00',
        currency: 'USD',
        status,
        reference: 'INV-1',
        note: '',
        period: { starts: '2026-10-01', ends: '2026-10-31' },
        documents: [],
        approvals: [],
        payment: null,
        created: now(),
      }),
      ...managers.map((id) => managerItem({ id, account, created: now() })),
      ...approvals(id),
    ],
    body: ({ managers }, { manager = 0 }) => ({ approver: managers[manager] }),
  };
};

const token = 'tok_01M81D44Y4K8FP6EGWEYKQ3T3J';

/** Clients that send these requests, A, B and so on, and at last each key once more. */
const clients = (target: Target, sent: readonly Sent[]): Prepared => {
  const tenant = newTenant();
  const { route, operation, type, id } = target;
  const tries: Try[] = [];
  const before = target.items(tenant).map((item) => ({ ...item, author }));
  const client = (letter: string, request: Sent): Task => ({
    letter,
    ...(request.isLater && { isLater: true }),
    run: async (invoke, steps) => {
      const { key, environment } = request;
      const body = target.body(tenant, request);
      const { requestContext, ...event } = requestTo(route, {
        tenant,
        ...(id !== undefined && { id }),
        ...(body !== undefined && { body }),
        ...(key !== undefined && { key }),
      });
      const authorizer = { ...requestContext?.authorizer, token_id: token };
      const told = (await invoke(
        route.functionName,
        { ...event, requestContext: { requestId: `request-${letter}`, authorizer } },
        environment,
      ).catch((error: Error) => {
        if (!(error instanceof Killed)) throw error;
        return { statusCode: 0, headers: {}, body: '' };
      })) as APIGatewayProxyResult;
      const status = told.statusCode;
      const mayStillCome = status === 0 || status === 504;
      const from = steps.findIndex(({ task }) => task === letter);
      tries.push({
        letter,
        key,
        status,
        text: told.body,
        isReplay: told.headers?.['Idempotent-Replayed'] === 'true',
        from: from < 0 ? steps.length : from,
        to: mayStillCome ? Number.POSITIVE_INFINITY : steps.length,
        isDisturbed: steps.some(
          ({ task, outcome }) => task === 'time' || (task === letter && outcome !== 'done'),
        ),
      });
    },
  });
  const keyed = sent.find(({ key }) => key !== undefined);
  return {
    items: before,
    tasks: sent.map((each, index) => client(String.fromCharCode(65 + index), each)),
    ...(keyed && { last: client('Z', keyed) }),
    tries,
    verdict: ({ items }) => {
      const ids = (all: readonly Item[]) =>
        all.filter((item) => item.type === type).map((item) => String(item.id));
      const wrong: string[] = [];
      const last = tries.find(({ letter }) => letter === 'Z');
      if (last && last.status !== route.status) wrong.push('the key is locked beyond its lease');
      if (!isExplained(operation, tries, ids(before), ids(items))) {
        const told = tries.map(({ letter, status, text }) => `${letter} ${status} ${text}`);
        wrong.push(`no order explains ${told.join(', ')} and the effects ${ids(items)}`);
      }
      return wrong;
    },
  };
};

const keyed: Sent = { key: 'k' };
const two = [keyed, keyed];

const base: readonly Omit<Case, 'faults'>[] = [
  {
    name: 'resend',
    about: 'two tries of one keyed resend',
    prepare: () => clients(resendTarget(), two),
  },
  {
    name: 'approve',
    about: 'two tries of one keyed approve of a pending request',
    prepare: () => clients(approveTarget('pending'), two),
  },
  {
    name: 'create',
    about: 'two tries of one keyed create',
    prepare: () => clients(createTarget(), two),
  },
  {
    name: 'resend-keys',
    about: 'two resends of one offer with two keys',
    prepare: () => clients(resendTarget(), [keyed, { key: 'l' }]),
  },
  {
    name: 'resend-mixed',
    about: 'a keyed and an unkeyed resend of one offer',
    prepare: () => clients(resendTarget(), [keyed, {}]),
  },
  {
    name: 'create-unkeyed',
    about: 'a create without a key',
    prepare: () => clients(createTarget(), [{}]),
  },
  {
    name: 'managers',
    about: 'approve of a pending request by two managers, without keys',
    prepare: () => clients(approveTarget('pending'), [{ manager: 0 }, { manager: 1 }]),
  },
  {
    name: 'resend-lease',
    about: 'a resend whose lease runs out while its calls are under way, and its retry',
    passMs: leaseMs,
    prepare: () => clients(resendTarget(), [keyed, { ...keyed, isLater: true }]),
  },
];
void approvalItem;

/** Each as it is, and with one crash, lost reply or refusal at every point. */
export const cases: readonly Case[] = base.flatMap((each) => [
  { ...each, faults: 0 },
  { ...each, name: `${each.name}+fault`, about: `${each.about}; one fault anywhere`, faults: 1 },
]);
