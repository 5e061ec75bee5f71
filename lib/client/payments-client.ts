import type { components, webhooks } from './openapi.d.ts';
import type { ApprovalCall, Call, ClientOptions, Walk } from './options.ts';
import { PaymentsError } from './payments-error.ts';
import { begin, idIn, type RouteCall, requireObject } from './request.ts';
import { abortedBy, send, sleep } from './send.ts';

export type { ApprovalCall, Call, ClientOptions, Try, Walk } from './options.ts';
export { type Fault, PaymentsError, type ProblemCode } from './payments-error.ts';

type Schemas = components['schemas'];
export type PaymentRequest = Schemas['PaymentRequest'];
export type ApprovePaymentRequest = Schemas['ApprovePaymentRequest'];
export type Sandbox = Schemas['Sandbox'];
export type CreateSandbox = Schemas['CreateSandbox'];
export type Offer = Schemas['Offer'];
export type PaymentRequestEvent = Schemas['PaymentRequestEvent'];
export type PaymentRequestEndedEvent = Schemas['PaymentRequestEndedEvent'];
export type SandboxEvent = Schemas['SandboxEvent'];
export type DeliveryAttemptEvent = Schemas['DeliveryAttemptEvent'];
export type RefusalEvent = Schemas['RefusalEvent'];
export type RedactionEvent = Schemas['RedactionEvent'];
/** The body of any event, which its `type` narrows down. */
export type PaymentsEvent =
  webhooks[keyof webhooks]['post']['requestBody']['content']['application/json'];

/** A client of one workspace. Every method throws PaymentsError. */
export interface PaymentsClient {
  readonly approve: (
    id: string,
    body: ApprovePaymentRequest,
    call?: ApprovalCall,
  ) => Promise<PaymentRequest>;
  /** Creates a sandbox, which is `provisioning` at first. */
  readonly createSandbox: (body: CreateSandbox, call?: Call) => Promise<Sandbox>;
  readonly resendOffer: (id: string, call?: Call) => Promise<Offer>;
  /** Every sandbox once, newest first, or after `before` oldest first. */
  readonly sandboxes: (walk?: Walk) => AsyncIterable<Sandbox>;
  /** Looks a new sandbox up in the list until it is `ready`. */
  readonly waitUntilReady: (sandbox: Sandbox, call?: Call) => Promise<Sandbox>;
}

/** Calls the API: with a key for each POST, and again until there is a response. */
export const paymentsClient = (options: ClientOptions): PaymentsClient => {
  requireObject(options);
  const list = (call: RouteCall, query: string) =>
    send<Schemas['SandboxList']>({ ...call, list: 'sandboxes' }, `GET /v1/sandboxes?${query}`);

  const ofWalk = ['after', 'before'];
  async function* sandboxes(walk: Walk = {}) {
    const { after, before, signal } = begin(options, walk, ofWalk);
    const isTowardsNewer = before !== undefined;
    let query = start('starting_after', after) + start('ending_before', before);
    for (;;) {
      const page = await list(begin(options, walk, ofWalk), `limit=100${query}`);
      const found = isTowardsNewer ? page.sandboxes.toReversed() : page.sandboxes;
      for (const sandbox of found) {
        if (signal?.aborted) throw new PaymentsError(abortedBy(signal), 'none');
        yield sandbox;
      }
      const last = found.at(-1);
      if (!page.cursor || !last) return;
      // Not the cursor, whose form may change: the id of a sandbox is valid in every version.
      query = start(isTowardsNewer ? 'ending_before' : 'starting_after', last.id);
    }
  }

  const waitUntilReady = async (sandbox: Sandbox, call?: Call) => {
    const begun = begin(options, call);
    const id = idIn(sandbox?.id);
    // The next newer one, after which the list begins: there may be thousands of newer ones.
    let newer: string | undefined;
    for (let seen: Sandbox | undefined = sandbox; ; ) {
      if (seen?.status === 'ready') return seen;
      await sleep(Math.min(500, begun.endMs - performance.now()), begun.signal);
      if (performance.now() >= begun.endMs) {
        const message = `The sandbox ${id} is not ready after ${begun.tryForS} s.`;
        throw new PaymentsError({ code: 'no_response', message }, 'none');
      }
      newer ??= (await list(begun, `limit=1&ending_before=${id}`)).sandboxes.at(-1)?.id;
      const page = await list(begun, `limit=1${start('starting_after', newer)}`);
      seen = page.sandboxes.find((found) => found.id === sandbox.id);
    }
  };

  return {
    approve: async (id, body, call) => {
      const route = `POST /v1/payment-requests/${idIn(id)}/approve`;
      return send({ ...begin(options, call, ['key', 'version']), body, list: 'approvals' }, route);
    },
    createSandbox: async (body, call) =>
      send({ ...begin(options, call), body }, 'POST /v1/sandboxes'),
    resendOffer: async (id, call) =>
      send(begin(options, call), `POST /v1/offers/${idIn(id)}/resend`),
    sandboxes,
    waitUntilReady,
  };
};

const start = (name: string, id?: string) => (id === undefined ? '' : `&${name}=${idIn(id)}`);
