import { keys } from '../../functions/store/keys.ts';
import { readItem } from '../../functions/store/read.ts';
import { type EffectItem, isSuccess, itemsUnder } from '../support/keyed-operations.ts';
import { amountOf, type Company, operations, seenVersion, type TakenStep } from './companies.ts';
import type { RecordStep } from './history.ts';

/** What the table holds of a company after a history. */
export type CompanyItems = Awaited<ReturnType<typeof readCompany>>;

export const readCompany = async (company: Company) => {
  const sandboxes = await itemsUnder(keys.sandbox(company.workspace, ''));
  return {
    offers: await Promise.all(
      company.offers.map(async (id) => ({
        offer: (await readItem(keys.offer(id))) as EffectItem,
        attempts: await itemsUnder(keys.delivery(id, '')),
      })),
    ),
    requests: await Promise.all(
      company.paymentRequests.map(
        async (id) => (await readItem(keys.paymentRequest(id))) as EffectItem | undefined,
      ),
    ),
    approvals: await Promise.all(
      company.paymentRequests.map((id) => itemsUnder(keys.approval(id, ''))),
    ),
    sandboxes,
    workspaces: await Promise.all(
      sandboxes.map(
        async (sandbox) =>
          (await readItem(keys.workspace(String(sandbox.sandbox_workspace)))) as
            | EffectItem
            | undefined,
      ),
    ),
  };
};

/** The identifiers of the events that there must be after a history, and of no others. */
export const eventIds = ({ offers, requests, approvals, sandboxes }: CompanyItems): string[] => [
  ...requests.flatMap((each) => (each?.ended ? [`evt_${Object(each.ended).id}_ended`] : [])),
  ...approvals.flat().map(({ id }) => `evt_${id}_approved`),
  ...sandboxes.flatMap(({ id, status }) => [
    `evt_${id}_created`,
    ...(status === 'ready' ? [`evt_${id}_ready`] : []),
  ]),
  ...offers
    .flatMap(({ attempts }) => attempts)
    .flatMap(({ id, status, reason }) => [
      `evt_${id}_created`,
      ...(status === 'sent' || status === 'failed'
        ? [`evt_${[id, status, reason].filter(Boolean).join('_')}`]
        : []),
    ]),
];

/** An event, by what it says. */
export interface PublishedEvent {
  readonly id: string;
  readonly type: string;
  readonly time: string;
  readonly request_id: string;
  readonly workspace: string;
  readonly data: {
    readonly approval?: {
      readonly id: string;
      readonly record_version: number;
      readonly previous_status: string;
    };
    readonly payment_request?: Readonly<Record<'id' | 'worker' | 'amount' | 'status', string>>;
    /** Of an end. */
    readonly record_version?: number;
  };
}

/** A mail, by the delivery attempt that its header names. */
export interface DeliveredMail {
  readonly attempt: string;
  readonly to: string;
}

/** Everything that must hold after a history and does not, as sentences. */
export const violations = (
  companies: readonly Company[],
  aftermaths: readonly CompanyItems[],
  taken: readonly TakenStep[],
  mails: readonly DeliveredMail[],
  events: readonly PublishedEvent[],
): string[] => [
  ...taken.flatMap(({ step, responses }) =>
    responses
      .filter(({ status }) => ![0, 200, 201, 409, 412, 500, 503, 504].includes(status))
      .map(({ status, text }) => `${step.operation} got ${status}: ${text}`),
  ),
  ...wrongIntents(taken, aftermaths),
  ...wrongCounts(taken, aftermaths),
  ...wrongVersions(taken, aftermaths, events),
  ...aftermaths.flatMap(wrongEnds),
  ...endedTwice(events),
  ...aftermaths.flatMap(approvedAgain),
  // What reads a queue gets events in any order.
  ...[events, events.toReversed()].flatMap((order) => wrongPayments(aftermaths, order)),
  ...aftermaths.flatMap((aftermath) => wrongDeliveries(aftermath, mails)),
  ...aftermaths.flatMap(wrongSandboxes),
  ...strangers(companies, aftermaths),
  ...companies.flatMap(({ workspace }, tenant) =>
    wrongEvents(
      aftermaths[tenant] as CompanyItems,
      events.filter((event) => event.workspace === workspace),
    ),
  ),
];

/** Each letter of a refused record has an event, which comes again with the same id and time. */
export const wrongRefusals = (
  letters: readonly string[],
  refusals: readonly PublishedEvent[],
): string[] => {
  const published = Map.groupBy(refusals, ({ request_id }) => request_id);
  return [
    ...letters
      .filter((id) => !published.has(id))
      .map((id) => `no event says that ${id} is refused`),
    ...[...published]
      .filter(([, all]) => new Set(all.map(({ id, time }) => `${id} ${time}`)).size > 1)
      .map(([id]) => `two events say that ${id} is refused`),
  ];
};

/** Each effect has an event, each event an effect, and an event that came again said the same. */
const wrongEvents = (aftermath: CompanyItems, events: readonly PublishedEvent[]): string[] => {
  const wanted = new Set(eventIds(aftermath));
  const published = Map.groupBy(events, ({ id }) => id);
  return [
    ...[...wanted].filter((id) => !published.has(id)).map((id) => `${id} was never published`),
    ...[...published.keys()]
      // The table keeps no end that another end or an approval has followed.
      .filter((id) => !wanted.has(id) && !id.startsWith('evt_end_'))
      .map((id) => `${id} is of no effect`),
    ...[...published]
      .filter(([, all]) => new Set(all.map((event) => JSON.stringify(event))).size > 1)
      .map(([id]) => `${id} was published in two ways`),
  ];
};

const effects = ({ offers, approvals, sandboxes }: CompanyItems): Record<string, string[]> => ({
  'resend 0': idsOf(offers[0]?.attempts),
  'resend 1': idsOf(offers[1]?.attempts),
  'approve 0': idsOf(approvals[0]),
  'approve 1': idsOf(approvals[1]),
  'create 0': idsOf(sandboxes.filter(({ name }) => name === 'Sandbox 0')),
  'create 1': idsOf(sandboxes.filter(({ name }) => name === 'Sandbox 1')),
});

const idsOf = (items: readonly EffectItem[] = []) => items.map(({ id }) => id);

const successes = ({ responses }: TakenStep) => responses.filter(isSuccess);

/** One effect for each intent, of which every success speaks in the same words. */
const wrongIntents = (
  taken: readonly TakenStep[],
  aftermaths: readonly CompanyItems[],
): string[] => {
  const claimedBy = new Map<string, string>();
  return [...Map.groupBy(taken, ({ intent }) => intent)].flatMap(([intent, all]) => {
    const texts = new Set(all.flatMap((each) => successes(each).map(({ text }) => text)));
    if (texts.size > 1) return [`${intent} got its response in ${texts.size} ways: ${[...texts]}`];
    const [first] = all;
    const [text] = texts;
    if (!first) return [];
    const isRefused = all.some(({ responses }) => responses.some(({ status }) => status === 412));
    const insisted = !isRefused && all.some(({ step }) => step.key !== null && step.retries > 0);
    if (text === undefined) return insisted ? [`${intent} was never done`] : [];
    const { tenant, operation, target } = first.step;
    const effect = operations[operation].effectOf(JSON.parse(text));
    const owner = claimedBy.get(effect);
    claimedBy.set(effect, intent);
    const there = effects(aftermaths[tenant] as CompanyItems)[`${operation} ${target}`];
    return [
      ...(owner ? [`${effect} is the effect of both ${owner} and ${intent}`] : []),
      ...(there?.includes(effect) ? [] : [`${intent} got ${effect}, which is not there`]),
    ];
  });
};

/**
 * As many effects as intents that succeeded, and at most those more without a response; none
 * of an intent that got nothing but 503 or 412, which say that nothing was changed.
 */
const wrongCounts = (taken: readonly TakenStep[], aftermaths: readonly CompanyItems[]): string[] =>
  aftermaths.flatMap((aftermath, tenant) =>
    Object.entries(effects(aftermath)).flatMap(([name, ids]) => {
      const about = taken.filter(
        ({ step }) => step.tenant === tenant && `${step.operation} ${step.target}` === name,
      );
      const intents = Map.groupBy(about, ({ intent }) => intent);
      const responded = [...intents.values()].filter((all) =>
        all.some((each) => successes(each).length),
      );
      const possible = [...intents.values()].filter((all) =>
        all.some(({ responses }) =>
          responses.some(({ status }) => status !== 503 && status !== 412),
        ),
      );
      const within = ids.length >= responded.length && ids.length <= possible.length;
      return within
        ? []
        : [`${name}: ${ids.length} effects of ${responded.length} to ${possible.length} intents`];
    }),
  );

/** Response and event of an approval say what the version does that it names, and its If-Match. */
const wrongVersions = (
  taken: readonly TakenStep[],
  aftermaths: readonly CompanyItems[],
  events: readonly PublishedEvent[],
): string[] => {
  const responses = taken
    .filter(({ step }) => step.operation === 'approve')
    .flatMap((each) =>
      successes(each).map(({ text }) => {
        const { approvals, worker, amount } = JSON.parse(text);
        return { id: approvals.at(-1), worker, amount, named: seenVersion(each.step) || undefined };
      }),
    );
  const published = events.flatMap(({ data: { approval, payment_request } }) =>
    approval ? [{ id: approval.id, ...payment_request, named: approval.record_version }] : [],
  );
  return (
    aftermaths
      .flatMap(({ approvals }) => approvals.flat())
      // Where a cancellation differs from what was approved, an approval names no version.
      .filter(({ version }) => version !== undefined)
      .flatMap(({ id, version }) =>
        [...responses, ...published]
          .filter((each) => each.id === id)
          .filter(({ worker, amount, named }) => {
            const isOf =
              amount === amountOf(version) && (version === 0 || worker === `wr_${version}`);
            return !isOf || (named !== undefined && named !== version);
          })
          .map(
            ({ worker, amount, named }) =>
              `${id} of ${version} is of ${named}: ${worker} ${amount}`,
          ),
      )
  );
};

/** An approved request has an end if a record has ended it after its last approval. */
const wrongEnds = ({ requests, approvals }: CompanyItems): string[] =>
  requests.flatMap((request, index) => {
    const isEnded = request?.status === 'cancelled' && approvals[index]?.length !== 0;
    return Boolean(request?.ended) === isEnded
      ? []
      : [`${request?.id} has the end ${request?.ended}`];
  });

/** A version of a record ends a request at most once. */
const endedTwice = (events: readonly PublishedEvent[]): string[] => {
  const ends = events.filter(({ data }) => data.record_version !== undefined);
  const name = ({ data }: PublishedEvent) => `${data.payment_request?.id} ${data.record_version}`;
  return [...Map.groupBy(ends, name)]
    .filter(([, all]) => new Set(all.map(({ id }) => id)).size > 1)
    .map(([of]) => `${of} has ended a request twice`);
};

/** What lib/consumers/payer.ts does with a payment request. */
interface Settled {
  /** The amount; none of one that had ended. */
  readonly paid?: string;
  /** Whether a person must decide. */
  readonly letter?: boolean;
}

const isOpen = (status: unknown) => status === 'draft' || status === 'pending';

/** What it does with events in this order; an id is settled once, whatever comes first. */
const settledBy = (events: readonly PublishedEvent[]): Map<string, Settled> => {
  const settled = new Map<string, Settled>();
  for (const { data } of events) {
    const { approval, payment_request: request } = data;
    if (!request || approval?.previous_status === 'approved') continue;
    const before = settled.get(request.id);
    if (approval && isOpen(approval.previous_status)) {
      settled.set(request.id, before ?? { paid: request.amount });
    } else {
      const isLate = approval || (before?.paid && request.status !== 'paid');
      settled.set(request.id, { ...before, ...(isLate && { letter: true }) });
    }
  }
  return settled;
};

/**
 * By the table, what was open when it was approved and never ended is paid as it was approved; no
 * other, unless a person hears of it.
 */
const wrongPayments = (
  aftermaths: readonly CompanyItems[],
  events: readonly PublishedEvent[],
): string[] => {
  const settled = settledBy(events);
  return aftermaths.flatMap(({ requests, approvals }) =>
    requests.flatMap((request, index) => {
      const all = approvals[index] ?? [];
      const open = all.find((each) => isOpen(each.previous_status));
      const isEnded =
        Boolean(request?.ended) ||
        all.some(({ previous_status: status }) => !isOpen(status) && status !== 'approved');
      const { paid, letter = false } = settled.get(request?.id ?? '') ?? {};
      const due = open && amountOf(open.version);
      const isRight = isEnded
        ? (paid === undefined || letter) && (paid ?? due) === due
        : paid === due && !letter;
      return isRight ? [] : [`${request?.id} is paid ${paid} for ${due}, ended: ${isEnded}`];
    }),
  );
};

/** An approved request is never reopened, so one approval at most is of an open one. */
const approvedAgain = ({ approvals }: CompanyItems): string[] =>
  approvals.flatMap((all) => {
    const [, ...more] = all.filter(({ previous_status: status }) =>
      ['draft', 'pending'].includes(`${status}`),
    );
    return more.map(({ id }) => `${id} is a second approval of an open request`);
  });

/** What the table has in the place of a record that is no dead letter. */
export const droppedBy = (
  aftermaths: readonly CompanyItems[],
  { tenant, target, version, note }: RecordStep,
): string[] => {
  const there = aftermaths[tenant]?.requests[target];
  const isDropped = there?.version === version && there.note !== note;
  return isDropped ? [`${there.id} has another version ${version} than was sent`] : [];
};

const wrongDeliveries = ({ offers }: CompanyItems, mails: readonly DeliveredMail[]): string[] =>
  offers.flatMap(({ offer, attempts }) => {
    const wrong: string[] = [];
    if (offer.attempts !== attempts.length) {
      wrong.push(`${offer.id} counts ${offer.attempts} of ${attempts.length} attempts`);
    }
    for (const { id, status } of attempts) {
      const count = mails.filter(({ attempt }) => attempt === id).length;
      if (status === 'sent' && count === 0) wrong.push(`${id} is sent without a mail`);
      if (status !== 'sent' && status !== 'failed') wrong.push(`${id} is left ${status}`);
    }
    const known = new Set(idsOf(attempts));
    for (const { attempt, to } of mails) {
      if (to === offer.recipient_email && !known.has(attempt)) wrong.push(`a mail of ${attempt}`);
    }
    return wrong;
  });

const wrongSandboxes = ({ sandboxes, workspaces }: CompanyItems): string[] =>
  sandboxes.flatMap(({ id, status, updated }, index) => [
    ...(status === 'ready' ? [] : [`${id} is left ${status}`]),
    ...(workspaces[index]?.created === updated ? [] : [`${id} was made ready twice, or half`]),
  ]);

const strangers = (companies: readonly Company[], aftermaths: readonly CompanyItems[]): string[] =>
  aftermaths.flatMap(({ offers, sandboxes }, tenant) =>
    [...offers.flatMap(({ attempts }) => attempts), ...sandboxes]
      .filter(({ workspace }) => workspace !== companies[tenant]?.workspace)
      .map(({ id }) => `${id} belongs to another workspace`),
  );
