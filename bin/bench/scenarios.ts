import { approvePaymentRequest } from '../../functions/approve-payment-request.contract.ts';
import { routes } from '../../functions/domain/routes.ts';
import { resendOffer } from '../../functions/resend-offer.contract.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { sandboxItem } from '../../functions/store/sandboxes.ts';
import { requestOf } from '../../lib/openapi/operations.ts';
import { waitingOffer } from '../../test/support/delivery-attempts.ts';
import {
  authorization,
  inserted,
  messages,
  outboxMessage,
  requestTo,
} from '../../test/support/function-events.ts';
import { mailEvent } from '../../test/support/sample-mail-events.ts';
import {
  newOffer,
  newPaymentRequest,
  newSandboxes,
  newTenant,
  type Tenant,
} from '../../test/support/tenants.ts';
import { author } from '../../test/support/test-author.ts';

/** One kind of event that a function is given. */
export interface Scenario {
  /** The function's name, and what is special about the event. */
  readonly name: string;
  readonly functionName: string;
  /** Makes what the event needs in the table; each event is for one use. */
  readonly newEvent: () => Promise<unknown>;
}

/** An event for each function, and for an endpoint with and without an Idempotency-Key. */
export const scenarios = async (): Promise<Scenario[]> => {
  const tenant = await newTenant();
  const few = await newTenant();
  const many = await newTenant();
  await newSandboxes(few.workspace, 5);
  await newSandboxes(many.workspace, 15);
  return [...ofEndpoints(tenant, few, many), ...behindThem(tenant)];
};

/** @param few a tenant whose sandboxes fit into a page, unlike those of `many` */
const ofEndpoints = (tenant: Tenant, few: Tenant, many: Tenant): Scenario[] => [
  {
    ...endpoint('approvePaymentRequest', ''),
    newEvent: async () =>
      requestTo(routes.approvePaymentRequest, {
        tenant,
        ...approvePaymentRequest.request({
          ...(await newPaymentRequest(tenant.workspace)),
          manager: tenant.manager,
          reason: 'Matches the timesheet',
        }),
      }),
  },
  {
    ...endpoint('createSandbox', ''),
    newEvent: async () =>
      requestTo(routes.createSandbox, { tenant, ...requestOf('createSandbox') }),
  },
  {
    ...endpoint('listSandboxes', ''),
    newEvent: async () => requestTo(routes.listSandboxes, { tenant: few }),
  },
  {
    ...endpoint('listSandboxes', 'with a cursor to seal'),
    newEvent: async () => requestTo(routes.listSandboxes, { tenant: many }),
  },
  { ...endpoint('resendOffer', ''), newEvent: () => resend(tenant) },
  {
    ...endpoint('resendOffer', 'with a key'),
    newEvent: () => resend(tenant, `key ${crypto.randomUUID()}`),
  },
];

/** The authorizer, the relay and the consumers. */
const behindThem = ({ workspace, token }: Tenant): Scenario[] => {
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

const endpoint = (route: keyof typeof routes, special: string) => {
  const { functionName } = routes[route];
  return { name: special ? `${functionName}, ${special}` : functionName, functionName };
};

const resend = async (tenant: Tenant, key?: string) => {
  const request = resendOffer.request(await newOffer(tenant.workspace));
  return requestTo(routes.resendOffer, { tenant, ...request, ...(key && { key }) });
};

/** @throws Error when a function's answer is not a success: what was measured would mean nothing */
export const requireSuccess = (name: string, answer: unknown): void => {
  const { statusCode = 200, batchItemFailures = [] } = (answer ?? {}) as {
    statusCode?: number;
    batchItemFailures?: unknown[];
  };
  if (statusCode >= 300 || batchItemFailures.length > 0) {
    throw new Error(`${name} answered ${JSON.stringify(answer)}`);
  }
};
