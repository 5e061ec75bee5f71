import {
  type ApprovePaymentRequest,
  type Call,
  type ClientOptions,
  type CreateSandbox,
  type DeliveryAttemptEvent,
  type Fault,
  type Offer,
  type PaymentRequest,
  type PaymentRequestEvent,
  type PaymentsClient,
  PaymentsError,
  type PaymentsEvent,
  type ProblemCode,
  paymentsClient,
  type RedactionEvent,
  type Sandbox,
  type SandboxEvent,
  type Try,
  type Walk,
} from 'workforce-payments-client';

/**
 * Every export, method, option and member of the client, as programs use them. A release keeps a
 * copy, which must compile with every later client.
 */

const options: ClientOptions = { baseUrl: 'https://api.company.example', token: 'wfp_live_x' };
const onTry = ({ attempt, status, requestId, replayed, waitMs, error }: Try): void => {
  console.log(attempt, status, requestId, replayed, waitMs, error?.code);
};
const client: PaymentsClient = paymentsClient({ ...options, tryForS: 30, fetch, onTry });

const { signal } = new AbortController();
const call: Call = { key: 'one', signal, tryForS: 5 };

export const callEverything = async (walk: Walk): Promise<string[]> => {
  const body: ApprovePaymentRequest = {
    approver: '11111111-1111-4111-8111-111111111111',
    reason: 'Matches the timesheet',
  };
  const request: PaymentRequest = await client.approve('ptr_1', body, call);
  await client.approve('ptr_1', { approver: body.approver });
  const named: CreateSandbox = { name: 'Mine' };
  const created: Sandbox = await client.createSandbox(named, call);
  await client.createSandbox(named);
  const ready: Sandbox = await client.waitUntilReady(created, { signal });
  await client.waitUntilReady(created);
  const offer: Offer = await client.resendOffer('ofr_1', call);
  await client.resendOffer('ofr_1');
  const names: string[] = [];
  for await (const { name } of client.sandboxes()) names.push(name);
  for await (const { id } of client.sandboxes(walk)) names.push(id);
  for await (const { id } of client.sandboxes({ after: ready.id, signal })) names.push(id);
  for await (const { id } of client.sandboxes({ before: ready.id, signal, tryForS: 5 }))
    names.push(id);
  return [...names, ...request.approvals, request.status, created.status, offer.status];
};

export const describe = (error: unknown): string => {
  if (!(error instanceof PaymentsError)) return '';
  const code: ProblemCode | 'no_answer' | 'aborted' = error.code;
  const effect: 'none' | 'unknown' = error.effect;
  const faults: readonly Fault[] = error.errors;
  const [key, status, requestId]: [string?, number?, string?] = [
    error.key,
    error.status,
    error.requestId,
  ];
  const places = faults.map((fault) => fault.pointer ?? fault.parameter ?? fault.header);
  const details = faults.map((fault) => `${fault.code} ${fault.detail}`);
  const facts = [code, effect, key, status, requestId, places, details];
  return [error.name, error.message, error.cause, ...facts].join();
};

export const handle = (event: PaymentsEvent): string => {
  const { id, version, workspace, account, time, request_id, actor } = event;
  return [id, version, workspace, account, time, request_id, actor, dataOf(event)].join();
};

const dataOf = (event: PaymentsEvent): string => {
  switch (event.type) {
    case 'payment_request.approved':
      return approvalOf(event);
    case 'sandbox.created':
    case 'sandbox.ready':
      return sandboxOf(event);
    case 'personal_data.redacted':
      return redactionOf(event);
    case 'delivery_attempt.created':
    case 'delivery_attempt.sent':
    case 'delivery_attempt.simulated':
    case 'delivery_attempt.failed':
    case 'delivery_attempt.delivered':
    case 'delivery_attempt.bounced':
    case 'delivery_attempt.complained':
      return attemptOf(event);
    // A later release may have others.
    default:
      return '';
  }
};

const approvalOf = ({ data: { approval, payment_request } }: PaymentRequestEvent): string =>
  [approval.id, approval.approver, approval.reason, approval.created].join() +
  [payment_request.id, payment_request.worker, payment_request.amount].join() +
  [payment_request.currency, payment_request.status].join();

const sandboxOf = ({ data }: SandboxEvent): string =>
  [data.id, data.name, data.status, data.workspace, data.sandbox_workspace].join() +
  [data.created, data.updated].join();

const attemptOf = ({ data }: DeliveryAttemptEvent): string =>
  [data.id, data.offer, data.status, data.reason, data.created].join();

const redactionOf = ({ data }: RedactionEvent): string => [data.id, data.ids, data.created].join();
