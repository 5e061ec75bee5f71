import type { APIGatewayProxyResult } from 'aws-lambda';
import type { OperationRequest } from '../../../functions/contract/operation.ts';
import type { Offer } from '../../../functions/domain/offer.ts';
import { managerItem } from '../../../functions/store/managers.ts';
import { workspaceItem } from '../../../functions/store/workspaces.ts';
import { requestTo } from '../../support/function-events.ts';
import type { KeyedOperation } from '../../support/keyed-operations.ts';
import { newTenantIds, sentOffer, type TenantIds } from '../../support/tenants.ts';
import type { Item, Prepared } from '../engine/case.ts';
import { ordersOf } from '../engine/search.ts';
import { type Invoke, Killed, type Step, type Task } from '../engine/steps.ts';
import { isExplained, type Timed, type Try } from './contract-model.ts';

/** Longer than a function may run, and so than the lease of its record. */
export const recordLeaseMs = 15_000;

const managers = ['1', '2', '3'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);

/** What a client sends. */
export interface ClientRequest {
  readonly key?: string;
  /** Which manager approves. */
  readonly manager?: number;
  /** The If-Match of an approval. */
  readonly ifMatch?: string;
  /** Sent when time has passed. */
  readonly isLater?: boolean;
  /** Sent when the key has been forgotten: another intent. */
  readonly isNew?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

export const keyed: ClientRequest = { key: 'k' };

/** An operation, and what it is done to. */
export interface TargetedOperation {
  readonly operation: KeyedOperation;
  readonly items: (tenant: TenantIds) => Item[];
  readonly request: (sent: ClientRequest) => OperationRequest;
}

const now = () => new Date().toISOString();

/** The workspace of a tenant. */
export const ownerOf = ({ workspace: id, account }: Pick<TenantIds, 'workspace' | 'account'>) =>
  workspaceItem({ id, account, name: 'Company', created: now() });

export const newOffer = (attempts = 0): Offer =>
  sentOffer({ attempts, recipient_email: 'worker@example.com' });

/** @param members of its item, over those that it has */
export const targetOf = (operation: KeyedOperation, members: object = {}): TargetedOperation => {
  const { items, requestBy } = operation.newTarget(members);
  return {
    operation,
    items: (tenant) => [
      ...items(tenant),
      ...managers.map((id) => managerItem({ id, account: tenant.account, created: now() })),
    ],
    request: ({ manager = 0, ifMatch }) => ({
      ...requestBy(managers[manager] ?? ''),
      ...(ifMatch !== undefined && { headers: { 'If-Match': ifMatch } }),
    }),
  };
};

const token = 'tok_01M81D44Y4K8FP6EGWEYKQ3T3J';

/** The event of a request that the authorizer has let through. */
const eventOf = (
  letter: string,
  tenant: TenantIds,
  target: TargetedOperation,
  sent: ClientRequest,
) => {
  const { key } = sent;
  const { requestContext, ...event } = requestTo(target.operation.route, {
    tenant,
    ...target.request(sent),
    ...(key !== undefined && { key }),
  });
  const authorizer = { ...requestContext?.authorizer, token_id: token };
  return { ...event, requestContext: { requestId: `request-${letter}`, authorizer } };
};

/** Sends a request. @returns its response */
const tryOf = async (
  letter: string,
  tenant: TenantIds,
  target: TargetedOperation,
  sent: ClientRequest,
  invoke: Invoke,
  steps: readonly Step[],
): Promise<Try> => {
  const event = eventOf(letter, tenant, target, sent);
  const { functionName } = target.operation.route;
  const response = (await invoke(functionName, event, sent.environment).catch((error: Error) => {
    if (!(error instanceof Killed)) throw error;
    return { statusCode: 0, body: '' };
  })) as APIGatewayProxyResult;
  return {
    letter,
    key: sent.key && `${sent.key}${sent.isNew ? ' later' : ''}`,
    request: JSON.stringify(target.request(sent)),
    status: response.statusCode,
    text: response.body,
    isReplay: response.headers?.['Idempotent-Replayed'] === 'true',
    isDisturbed: steps.some(
      ({ task, ending }) =>
        (task === 'time' && !sent.isLater) || (task === letter && ending !== 'done'),
    ),
  };
};

/**
 * Clients that send these requests, A, B and so on; and at last, when every lease is over, one that
 * sends the first request with each key once more.
 */
export const clients = (
  target: TargetedOperation,
  sent: readonly ClientRequest[],
  tenant = newTenantIds(),
): Prepared & { readonly tries: readonly Try[] } => {
  const tries: Try[] = [];
  const items = target.items(tenant);
  const client = (letter: string, request: ClientRequest): Task => ({
    letter,
    ...(request.isLater && { startsAfter: 'time' }),
    run: async (invoke, steps) => {
      tries.push(await tryOf(letter, tenant, target, request, invoke, steps));
    },
  });
  // The first request with a key, or the one for which a forgotten key was used anew.
  const again = new Map<string, ClientRequest>();
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

const lockedKeys = ({ operation }: TargetedOperation, tries: readonly Try[]): string[] =>
  tries
    .filter(
      ({ letter, status }) =>
        letter === 'Z' && ![operation.route.status, 412, 422].includes(status),
    )
    .map(({ status, text }) => `the last try got ${status} ${text}`);

/** @returns a sentence if no order of the tries explains their responses and what there is */
const unexplained = (
  { operation }: TargetedOperation,
  tries: readonly Try[],
  before: readonly Item[],
  after: readonly Item[],
  steps: readonly Step[],
): string[] => {
  const ids = (all: readonly Item[]) =>
    all.filter(({ type }) => type === operation.effectType).map((item) => String(item.id));
  const letters = tries.map(({ letter }) => letter).filter((letter) => letter !== 'Z');
  const isExplainedIn = (order: readonly Step[]) =>
    isExplained(
      operation,
      tries.map((each) => timed(each, order)),
      ids(before),
      ids(after),
    );
  if (ordersOf(steps, letters).every(isExplainedIn)) return [];
  const responses = tries.map(({ letter, status, text }) => `${letter} ${status} ${text}`);
  return [`no order explains ${responses.join(', ')} and the effects ${ids(after)}`];
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
