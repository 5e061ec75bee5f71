import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { PresentedOffer } from '../../../functions/domain/offer.ts';
import type { PaymentRequest } from '../../../functions/domain/payment-request.ts';
import { routes } from '../../../functions/domain/routes.ts';
import { claimKey } from '../../../functions/idempotency/intent.ts';
import { documents, table } from '../../../functions/store/client.ts';
import { loadOffer } from '../../admin/load-offer.ts';
import {
  type Answer,
  requireProblem,
  requireSuccess,
  type Sent,
  unexpectedAnswer,
} from '../call.ts';
import { type Check, type Context, requireWorld } from '../check.ts';
import { expectEqual } from '../expect.ts';
import { Failure } from '../failure.ts';
import { approvePath, resendPath, sandboxesPath } from '../operations.ts';
import {
  newKey,
  newOffer,
  newPaymentRequest,
  registerKey,
  type Tenant,
  type World,
} from '../world.ts';
import type { Page } from './sandboxes.ts';

/** A request with a key, another request with the same key, and how many effects there were. */
interface Intent {
  readonly path: string;
  readonly sent: Sent & { readonly key: string };
  readonly other: { readonly path?: string; readonly sent?: Sent };
  readonly effects: () => Promise<number>;
}

const prepareApproval = async ({ call }: Context, world: World): Promise<Intent> => {
  const { token, manager } = world.live;
  const { id } = await newPaymentRequest(world, world.live);
  const key = await newKey(world, world.live, routes.approvePaymentRequest);
  const sent = { token, key, body: { approver: manager } };
  return {
    path: approvePath(id),
    sent,
    other: { sent: { ...sent, body: { approver: manager, reason: 'Another request' } } },
    // One more, without a key, lists those before it.
    effects: async () => {
      const answer = await call('POST', approvePath(id), { token, body: { approver: manager } });
      return requireSuccess<PaymentRequest>(answer, 200).approvals.length - 1;
    },
  };
};

const prepareCreation = async ({ call }: Context, world: World): Promise<Intent> => {
  const { token } = world.live;
  const key = await newKey(world, world.live, routes.createSandbox);
  const sent = { token, key, body: { name: key } };
  return {
    path: sandboxesPath,
    sent,
    other: { sent: { ...sent, body: { name: 'Another request' } } },
    effects: async () => {
      const answer = await call('GET', `${sandboxesPath}?limit=100`, { token });
      return requireSuccess<Page>(answer, 200).sandboxes.filter(({ name }) => name === key).length;
    },
  };
};

/** In a test workspace, because SES limits how many mails are sent in a second. */
const prepareResend = async (_: Context, world: World): Promise<Intent> => {
  const { token } = world.test;
  const [offer, another] = [await newOffer(world, world.test), await newOffer(world, world.test)];
  const key = await newKey(world, world.test, routes.resendOffer);
  return {
    path: resendPath(offer.id),
    sent: { token, key },
    other: { path: resendPath(another.id) },
    effects: async () => (await loadOffer(offer.id)).attempts.length,
  };
};

const requireReplay = (answer: Answer, first: Answer): void => {
  if (answer.headers.get('idempotent-replayed') !== 'true') {
    throw unexpectedAnswer(answer, 'the header Idempotent-Replayed: true');
  }
  expectEqual(`The status of the replay of ${first.request}`, answer.status, first.status);
  if (answer.text !== first.text) throw unexpectedAnswer(answer, `the first answer, ${first.text}`);
};

const replayCheck = (
  operation: string,
  prepare: (context: Context, world: World) => Promise<Intent>,
): Check => ({
  name: `replay-${operation}`,
  proves: 'a request with its key again is replayed byte for byte; the key fits no other',
  run: async (context) => {
    const { call } = context;
    const { path, sent, other, effects } = await prepare(context, requireWorld(context));
    const first = await call('POST', path, sent);
    if (first.status >= 300) throw unexpectedAnswer(first, 'a success');
    if (first.headers.has('idempotent-replayed')) throw unexpectedAnswer(first, 'no replay');
    requireReplay(await call('POST', path, sent), first);
    requireReplay(await call('POST', path, { ...sent, key: `"${sent.key}"` }), first);
    const reused = await call('POST', other.path ?? path, other.sent ?? sent);
    requireProblem(reused, 'idempotency_key_reused');
    requireReplay(await call('POST', path, sent), first);
    expectEqual('Effects of one key', await effects(), 1);
    return undefined;
  },
});

const crowdSize = 8;

/** Requests at once find a key in use only by chance: this makes its record as it is meanwhile. */
const setRecordStatus = (
  { workspace }: Tenant,
  key: string,
  status: 'INPROGRESS' | 'COMPLETED',
): Promise<unknown> =>
  documents.send(
    new UpdateCommand({
      TableName: table(),
      Key: claimKey({ workspace, operation: routes.resendOffer.functionName, key }),
      UpdateExpression: 'SET #status = :status, in_progress_expiration = :end',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':status': status, ':end': Date.now() + 60_000 },
    }),
  );

/** What an Idempotency-Key promises. */
export const idempotency: readonly Check[] = [
  replayCheck('approve', prepareApproval),
  replayCheck('create', prepareCreation),
  replayCheck('resend', prepareResend),
  {
    name: 'one-effect',
    proves: 'requests at once with one key have one effect',
    run: async (context) => {
      const { call } = context;
      const { path, sent, effects } = await prepareResend(context, requireWorld(context));
      const answers = await Promise.all(
        Array.from({ length: crowdSize }, () => call('POST', path, sent)),
      );
      const [first, ...others] = answers.filter(({ status }) => status === 200);
      if (!first)
        throw new Failure(`None of ${crowdSize} requests at once with one key succeeded.`);
      for (const { text } of others) expectEqual('Answers to one key', text, first.text);
      const refused = answers.filter(({ status }) => status !== 200);
      for (const answer of refused) requireProblem(answer, 'idempotency_key_in_use');
      expectEqual('Effects of one key', await effects(), 1);
      return undefined;
    },
  },
  {
    name: 'idempotency_key_in_use',
    proves: 'a request is refused while the first one with its key is still running',
    run: async (context) => {
      const { call } = context;
      const world = requireWorld(context);
      const { path, sent, effects } = await prepareResend(context, world);
      const first = await call('POST', path, sent);
      requireSuccess(first, 200);
      await setRecordStatus(world.test, sent.key, 'INPROGRESS');
      requireProblem(await call('POST', path, sent), 'idempotency_key_in_use');
      await setRecordStatus(world.test, sent.key, 'COMPLETED');
      requireReplay(await call('POST', path, sent), first);
      expectEqual('Effects of one key', await effects(), 1);
      return undefined;
    },
  },
  {
    name: 'key-scope',
    proves: 'one key is another intent in each workspace and operation',
    run: async (context) => {
      const { call } = context;
      const world = requireWorld(context);
      const { live, test } = world;
      const key = await newKey(world, live, routes.approvePaymentRequest, routes.createSandbox);
      await registerKey(world, test, key, routes.resendOffer);
      const [{ id }, offer] = [await newPaymentRequest(world, live), await newOffer(world, test)];
      const body = { approver: live.manager };
      const sandbox = { token: live.token, key, body: { name: key } };
      const answers = [
        await call('POST', approvePath(id), { token: live.token, key, body }),
        await call('POST', sandboxesPath, sandbox),
        await call('POST', resendPath(offer.id), { token: test.token, key }),
      ];
      for (const answer of answers) {
        if (answer.headers.has('idempotent-replayed')) throw unexpectedAnswer(answer, 'no replay');
      }
      const [approved, created, resent] = answers as [Answer, Answer, Answer];
      requireSuccess<PaymentRequest>(approved, 200);
      requireSuccess(created, 201);
      expectEqual('Attempts', requireSuccess<PresentedOffer>(resent, 200).delivery.attempts, 1);
      return undefined;
    },
  },
];
