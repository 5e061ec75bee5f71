import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type CallFault, errorResponse } from '../../../test/support/fault-proxy.ts';
import {
  approvalOf,
  endOf,
  type Letter,
  type Payer,
  type Provider,
  startPayer,
} from './run-payer.ts';

const { HISTORIES = '15', HISTORIES_SEED = '1' } = process.env;

/** What a message is: an approval of what had a status, an end, or what is not the payer's. */
const kinds = {
  open: ['draft', 'pending'],
  approvedAgain: ['approved'],
  ofEnded: ['rejected', 'cancelled', 'paid'],
  end: ['rejected', 'cancelled', 'paid'],
  doubt: ['no status', 'unknown', 'unknown end', 'test', 'foreign', 'other type'],
} as const;

interface SentMessage {
  readonly request: number;
  readonly kind: keyof typeof kinds;
  readonly status: string;
  /** The same event again, in a message of its own. */
  readonly copies: number;
}

/** What the provider does with a call: it responds with a status, or as its name says. */
const misbehaviours = [
  ...[503, 500, 429, 409, 402, 400, 302],
  ...(['hangs', 'paysAndHangs', 'paysLate', 'losesResponse', 'resets'] as const),
  ...(['diesBefore', 'diesAfter'] as const),
];

interface History {
  /** What is sent before each round, in which all that can be received is consumed once. */
  readonly rounds: readonly SentMessage[][];
  readonly provider: readonly (typeof misbehaviours)[number][];
  readonly faults: readonly {
    readonly operation: 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'SendMessage';
    readonly call: number;
    readonly lasts: number;
    readonly kind: CallFault['kind'];
  }[];
  readonly batchSize: number;
  /** After how many rounds all letters are redriven, with their attributes or without. */
  readonly redrivenAfter: number;
  readonly keepsAttributes: boolean;
  readonly replays: boolean;
}

const messageOfKind = (kind: keyof typeof kinds): fc.Arbitrary<SentMessage> =>
  fc.record({
    request: fc.nat({ max: 2 }),
    kind: fc.constant(kind),
    status: fc.constantFrom<string>(...kinds[kind]),
    copies: fc.constantFrom(1, 1, 2),
  });

const message = fc.oneof(
  { weight: 6, arbitrary: messageOfKind('open') },
  { weight: 4, arbitrary: messageOfKind('end') },
  { weight: 1, arbitrary: messageOfKind('approvedAgain') },
  { weight: 1, arbitrary: messageOfKind('ofEnded') },
  { weight: 1, arbitrary: messageOfKind('doubt') },
);

const history: fc.Arbitrary<History> = fc.record({
  rounds: fc.array(fc.array(message, { maxLength: 5 }), { minLength: 2, maxLength: 4 }),
  provider: fc.array(fc.constantFrom(...misbehaviours), { maxLength: 6 }),
  faults: fc.array(
    fc.record({
      operation: fc.constantFrom('PutItem', 'UpdateItem', 'DeleteItem', 'SendMessage'),
      call: fc.integer({ min: 1, max: 6 }),
      // The SDK tries three times.
      lasts: fc.constantFrom(1, 3),
      kind: fc.constantFrom(
        ...(['reset', 'loseResponse', 'truncateResponse', 'twice'] as const),
        ...(['response', 'killBefore', 'killAfter'] as const),
      ),
    }),
    { maxLength: 4 },
  ),
  batchSize: fc.integer({ min: 1, max: 10 }),
  redrivenAfter: fc.integer({ min: 1, max: 4 }),
  keepsAttributes: fc.boolean(),
  replays: fc.boolean(),
});

const eventOf = (id: string, { kind, status }: SentMessage): object => {
  if (kind === 'end') return endOf(id, status);
  if (kind !== 'doubt') return approvalOf(id, status);
  switch (status) {
    case 'no status':
      return approvalOf(id);
    case 'unknown end':
      return endOf(id, 'unknown');
    case 'test':
      return approvalOf(id, 'pending', { livemode: false });
    case 'foreign':
      return approvalOf(id, 'pending', { workspace: 'wsp_3' });
    case 'other type':
      return approvalOf(id, 'pending', { type: 'payment_request.changed' });
    default:
      return approvalOf(id, status);
  }
};

/** What has happened, in its order: at the provider, and to messages that were consumed. */
type Step = readonly ['begun' | 'paid' | 'consumed', string, SentMessage?];

/** Pays each key once, as often as it gets it; the payments of a history, and how it goes on. */
const startWorld = async () => {
  const world = { steps: [] as Step[], plan: [] as History['provider'][number][] };
  const late: string[] = [];
  const hanging: ServerResponse[] = [];
  let payer: Payer | undefined;
  const pay = (key: string) => void world.steps.push(['paid', key]);
  const provider: Provider = async (request, response) => {
    if (request.url === '/login') return void response.end('A page');
    const key = String(request.headers['idempotency-key']);
    world.steps.push(['begun', key]);
    const next = world.plan.shift() ?? 200;
    if (next === 200) pay(key);
    if (typeof next === 'number') {
      return void response.writeHead(next, { Location: '/login' }).end();
    }
    if (next === 'paysAndHangs' || next === 'losesResponse' || next === 'diesAfter') pay(key);
    if (next === 'paysLate') late.push(key);
    if (next.startsWith('dies')) await payer?.lambda.killBusyInstances();
    if (next.endsWith('angs') || next === 'paysLate') return void hanging.push(response);
    request.socket.resetAndDestroy();
  };
  // What hangs takes a second of the test's time.
  payer = await startPayer(provider, 11_000);
  const payLate = () => {
    for (const key of late.splice(0)) pay(key);
    for (const each of hanging.splice(0)) each.destroy();
  };
  return Object.assign(world, { payer, payLate });
};

type World = Awaited<ReturnType<typeof startWorld>>;

const runHistory = async (world: World, given: History): Promise<string[]> => {
  const { payer } = world;
  const name = randomUUID();
  const sent: SentMessage[] = [];
  const idOf = ({ request }: SentMessage) => `ptr_${name}_${request}`;
  const byBody = new Map<string, SentMessage>();
  const sendAll = (messages: readonly SentMessage[]) => {
    for (const each of messages) {
      const event = eventOf(idOf(each), each);
      byBody.set(JSON.stringify(event), each);
      for (let copy = 0; copy < each.copies; copy++) payer.send(event);
    }
  };
  const consume = () =>
    payer.consume({
      batchSize: given.batchSize,
      onConsumed: (body) => {
        const of = byBody.get(JSON.stringify(JSON.parse(body).detail));
        if (of) world.steps.push(['consumed', idOf(of), of]);
      },
    });
  const letters: Letter[] = [];
  const redrive = async () => {
    letters.push(...(await payer.letters()));
    if (given.keepsAttributes) return payer.queues.move(payer.deadLetters, payer.queueName);
    for (const { body } of await payer.queues.receive(payer.deadLetters, { maximum: 10_000 })) {
      payer.queues.send(payer.queueName, { body });
    }
    payer.queues.purge(payer.deadLetters);
  };
  inject(payer, given.faults);
  world.plan = [...given.provider];
  for (const [index, round] of given.rounds.entries()) {
    sendAll(round);
    sent.push(...round);
    await consume();
    if (index % 2) world.payLate();
    if (index + 1 === given.redrivenAfter) await redrive();
  }
  // Everything is up again.
  world.plan = [];
  for (const proxy of [payer.dynamodb, payer.sqs]) proxy.clear();
  world.payLate();
  const settle = async () => {
    for (let times = 0; times < 5 && payer.left() > 0; times++) await consume();
    if (payer.left() > 0) letters.push({ id: 'the queue', reason: 'It does not empty.' });
  };
  await settle();
  if (given.replays) {
    sendAll(sent.toReversed());
    await settle();
  }
  letters.push(...(await payer.letters()));
  payer.queues.purge(payer.deadLetters);
  payer.queues.purge(payer.queueName);
  const steps = world.steps.splice(0);
  return [
    ...letters.flatMap(({ id, reason }) => (id === 'the queue' ? [`${id}: ${reason}`] : [])),
    ...[0, 1, 2].flatMap((request) => {
      const id = `ptr_${name}_${request}`;
      const about = sent.filter((each) => each.request === request);
      const isAbout = (step: Step) => step[1] === id;
      const reasons = letters.flatMap((each) => (each.id === id ? [String(each.reason)] : []));
      return wrong(about, steps.filter(isAbout), reasons).map((text) => `${id} ${text}`);
    }),
  ];
};

const inject = (payer: Payer, faults: History['faults']): void => {
  const kill = () => payer.lambda.killBusyInstances();
  for (const { operation, call, lasts, kind } of faults) {
    const fault = (
      kind === 'response' ? errorResponse('InternalServerError') : { kind, kill }
    ) as CallFault;
    const calls = Array.from({ length: lasts }, (_, index) => call + index);
    payer[operation === 'SendMessage' ? 'sqs' : 'dynamodb'].inject({ operation, calls, fault });
  }
};

/** What must hold of a payment request and does not, as sentences. */
const wrong = (
  sent: readonly SentMessage[],
  steps: readonly Step[],
  reasons: readonly string[],
): string[] => {
  const has = (...kinds: SentMessage['kind'][]) => sent.some(({ kind }) => kinds.includes(kind));
  const isPaid = steps.some(([what]) => what === 'paid');
  const isEnded = has('end', 'ofEnded');
  const settled = steps.findIndex(
    ([what, , message]) =>
      what === 'consumed' && message && ['open', 'end', 'ofEnded'].includes(message.kind),
  );
  const isBegunAfter = settled >= 0 && steps.slice(settled).some(([what]) => what === 'begun');
  const endsOtherwise = sent.some(({ kind, status }) => kind === 'end' && status !== 'paid');
  return [
    ...(isPaid && !has('open') ? ['was paid, and never open'] : []),
    ...(isBegunAfter ? ['was to be paid after it had been paid or ended'] : []),
    ...(has('open') && !isEnded && !isPaid ? ['was never paid'] : []),
    ...(isPaid && endsOtherwise && reasons.length === 0 ? ['was paid and ended in silence'] : []),
    ...(has('doubt', 'ofEnded') && reasons.length === 0 ? ['has no letter'] : []),
    ...(!has('doubt') && !isEnded && reasons.length > 0 ? [`has a letter: ${reasons}`] : []),
    ...(reasons.includes('undefined') ? ['has a letter without a reason'] : []),
  ];
};

test('random histories pay once what was open and never ended, and put every doubt before a person', async () => {
  // Each instance that is killed would leave megabytes of coverage behind.
  vi.stubEnv('NODE_V8_COVERAGE', undefined);
  const world = await startWorld();
  onTestFinished(() => world.payer.stop());
  const isRight = fc.asyncProperty(history, async (each) => {
    expect(await runHistory(world, each)).toEqual([]);
  });
  const seed = Number(HISTORIES_SEED);
  await fc.assert(isRight, { seed, numRuns: Number(HISTORIES), endOnFailure: true });
}, 14_400_000);
