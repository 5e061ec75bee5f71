import { approvePaymentRequest } from '../../functions/approve-payment-request.contract.ts';
import { routes } from '../../functions/domain/routes.ts';
import { resendOffer } from '../../functions/resend-offer.contract.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { sandboxItem } from '../../functions/store/sandboxes.ts';
import { requestOf } from '../../lib/openapi/operations.ts';
import { waitingOffer } from '../../test/support/delivery-attempts.ts';
import {
  authorization,
  inserted,
  messages,
  outboxMessage,
  requestTo,
  type Sent,
} from '../../test/support/function-events.ts';
import { mailEvent } from '../../test/support/sample-mail-events.ts';
import {
  newOffer,
  newPaymentRequest,
  newSandboxes,
  newTenant,
  type Tenant,
  waitingSandbox,
} from '../../test/support/tenants.ts';
import { author } from '../../test/support/test-author.ts';

/** One kind of event that a function is given. */
export interface Scenario {
  /** The function's name, and what is special about the event. */
  readonly name: string;
  readonly functionName: string;
  /** Makes what the event needs in the table; each event is for one use. */
  readonly newEvent: () => Promise<unknown>;
  /** The file beside this one that it is compared with. */
  readonly base: 'floor' | 'floor-sqs' | 'floor-ses' | `peer-${string}`;
  /** The most that a cold start may take of that. Without a target the figure alone is given. */
  readonly cold?: number;
  /** The most that a warm request may take of it with the database a network away. */
  readonly away?: number;
}

/** An event for each function; consumers, for which nobody waits, have no targets. */
export const scenarios = async (): Promise<Scenario[]> => [
  ...(await endpointScenarios()),
  ...ofOtherFunctions(await newTenant()),
];

/** Events for each endpoint, without an Idempotency-Key and with one. */
export const endpointScenarios = async (): Promise<Scenario[]> => {
  const tenant = await newTenant();
  const [few, many] = [await newTenant(), await newTenant()];
  await newSandboxes(few.workspace, 5);
  await newSandboxes(many.workspace, 15);
  const { workspace, manager } = tenant;
  const reason = 'Matches the timesheet';
  const approve = async () => {
    const { id } = await newPaymentRequest(workspace);
    return { tenant, ...approvePaymentRequest.request({ id, manager, reason }) };
  };
  const create = async () => ({ tenant, ...requestOf('createSandbox') });
  const resend = async () => ({ tenant, ...resendOffer.request(await newOffer(workspace)) });
  const keyed = (newRequest: () => Promise<Sent>) => async () => ({
    ...(await newRequest()),
    key: newOpaque(),
  });
  const plain = { base: 'floor', cold: 1 } as const;
  const [approvePeer, resendPeer] = ['peer-approve-payment-request', 'peer-resend-offer'] as const;
  return [
    // Each round trip is one of the floor's; a transaction takes longer than a read.
    endpoint('approvePaymentRequest', '', approve, { ...plain, away: 2.9 }),
    endpoint('createSandbox', '', create, { ...plain, away: 1.3 }),
    endpoint('listSandboxes', '', async () => ({ tenant: few }), { ...plain, away: 1.3 }),
    endpoint('listSandboxes', 'a cursor', async () => ({ tenant: many }), plain),
    endpoint('resendOffer', '', resend, { ...plain, away: 2.6 }),
    endpoint('createSandbox', 'a key', keyed(create), { base: 'floor' }),
    endpoint('approvePaymentRequest', 'a key', keyed(approve), {
      base: approvePeer,
      cold: 0.85,
      away: 0.75,
    }),
    endpoint('resendOffer', 'a key', keyed(resend), { base: resendPeer, cold: 0.8, away: 0.7 }),
  ];
};

const endpoint = (
  operation: keyof typeof routes,
  extra: '' | 'a cursor' | 'a key',
  newRequest: () => Promise<Sent>,
  comparison: Pick<Scenario, 'base' | 'cold' | 'away'>,
): Scenario => {
  const { functionName } = routes[operation];
  return {
    name: `${functionName}${extra && `, with ${extra}`}`,
    functionName,
    newEvent: async () => requestTo(routes[operation], await newRequest()),
    ...comparison,
  };
};

/** The authorizer, the relay and the consumers. */
const ofOtherFunctions = ({ workspace, token }: Tenant): Scenario[] => {
  const events: Record<string, Scenario['newEvent']> = {
    authorize: async () => authorization(routes.listSandboxes, `Bearer ${token}`),
    'relay-outbox': async () => inserted({ ...sandboxItem(waitingSandbox(workspace)), author }),
    'provision-sandbox': async () => {
      const [sandbox] = await newSandboxes(workspace, 1, 'provisioning');
      return messages(outboxMessage('Provisioning', { ...sandbox }));
    },
    'deliver-offer': async () => {
      const { attempt } = await waitingOffer(workspace);
      return messages(outboxMessage('Delivery', { workspace, ...attempt }));
    },
    'import-record': async () => {
      const created = new Date().toISOString();
      const recipient_email = 'amara@example.com';
      const offer = { id: `ofr_${newOpaque()}`, recipient_email, status: 'draft', created };
      return messages(JSON.stringify({ workspace, version: 1, offer }));
    },
    'record-mail-event': async () => {
      const { offer, attempt } = await waitingOffer(workspace, { status: 'sent' });
      return messages(mailEvent({ offer: offer.id, id: attempt.id }, 'delivery'));
    },
  };
  const comparisons: Record<string, Pick<Scenario, 'base' | 'cold'>> = {
    authorize: { base: 'floor', cold: 1 },
    'deliver-offer': { base: 'floor-ses' },
  };
  return Object.entries(events).map(([name, newEvent]) => ({
    name,
    functionName: name,
    newEvent,
    ...(comparisons[name] ?? { base: 'floor-sqs' }),
  }));
};

/**
 * @throws Error when a function's response is not a success: what was measured would mean nothing
 */
export const requireSuccess = (name: string, response: unknown): void => {
  const { statusCode = 200, batchItemFailures = [] } = (response ?? {}) as {
    statusCode?: number;
    batchItemFailures?: unknown[];
  };
  if (statusCode >= 300 || batchItemFailures.length > 0) {
    throw new Error(`${name} responded ${JSON.stringify(response)}`);
  }
};
