import { approvePaymentRequest } from '../../functions/approve-payment-request.contract.ts';
import { routes } from '../../functions/domain/routes.ts';
import { resendOffer } from '../../functions/resend-offer.contract.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { sandboxItem } from '../../functions/store/sandboxes.ts';
import { requestOf } from '../../lib/openapi/operations.ts';
import { waitingOffer } from '../testing/delivery-attempts.ts';
import {
  authorization,
  inserted,
  messages,
  outboxMessage,
  requestTo,
  type Sent,
} from '../testing/function-events.ts';
import { mailEvent } from '../testing/sample-mail-events.ts';
import {
  newOffer,
  newPaymentRequest,
  newSandboxes,
  newTenant,
  type Tenant,
} from '../testing/tenants.ts';
import { author } from '../testing/test-author.ts';

/** One kind of event that a function is given. */
export interface Scenario {
  /** The function's name, and what is special about the event. */
  readonly name: string;
  readonly functionName: string;
  /** Makes what the event needs in the table; each event is for one use. */
  readonly newEvent: (key?: string) => Promise<unknown>;
}

/** An event for each function; endpoints take an Idempotency-Key. */
export const scenarios = async (): Promise<Scenario[]> => {
  const tenant = await newTenant();
  const few = await newTenant();
  const many = await newTenant();
  await newSandboxes(few.workspace, 5);
  await newSandboxes(many.workspace, 15);
  return [...ofEndpoints(tenant, few, many), ...ofOtherFunctions(tenant)];
};

/** @param few a tenant whose sandboxes fit into a page, unlike those of `many` */
const ofEndpoints = (tenant: Tenant, few: Tenant, many: Tenant): Scenario[] => {
  const { workspace, manager } = tenant;
  const reason = 'Matches the timesheet';
  const approve = async () => {
    const { id } = await newPaymentRequest(workspace);
    return { tenant, ...approvePaymentRequest.request({ id, manager, reason }) };
  };
  const resend = async () => ({ tenant, ...resendOffer.request(await newOffer(workspace)) });
  const resendWithKey = async () => ({ ...(await resend()), key: newOpaque() });
  return [
    endpoint('approvePaymentRequest', approve),
    endpoint('createSandbox', async () => ({ tenant, ...requestOf('createSandbox') })),
    endpoint('listSandboxes', async () => ({ tenant: few })),
    endpoint('listSandboxes', async () => ({ tenant: many }), ', with a cursor'),
    endpoint('resendOffer', resend),
    endpoint('resendOffer', resendWithKey, ', with a key'),
  ];
};

const endpoint = (
  operation: keyof typeof routes,
  newRequest: () => Promise<Sent>,
  variant = '',
): Scenario => {
  const { functionName } = routes[operation];
  return {
    name: `${functionName}${variant}`,
    functionName,
    newEvent: async (key) =>
      requestTo(routes[operation], { ...(await newRequest()), ...(key && { key }) }),
  };
};

/** The authorizer, the relay and the consumers. */
const ofOtherFunctions = ({ workspace, token }: Tenant): Scenario[] => {
  const events: Record<string, Scenario['newEvent']> = {
    authorize: async () => authorization(routes.listSandboxes, `Bearer ${token}`),
    'relay-outbox': async () => {
      const [sandbox] = await newSandboxes(workspace, 1, 'provisioning');
      return inserted(...(sandbox ? [{ ...sandboxItem(sandbox), author }] : []));
    },
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
  return Object.entries(events).map(([name, newEvent]) => ({ name, functionName: name, newEvent }));
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
