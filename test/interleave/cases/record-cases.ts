import { offerItem } from '../../../functions/store/offers.ts';
import { paymentRequestItem } from '../../../functions/store/payment-requests.ts';
import { approve, approveAgain, isSuccess, resend } from '../../support/keyed-operations.ts';
import { offerRecord, requestRecord } from '../../support/records.ts';
import { newTenantIds, sentOffer, type TenantIds } from '../../support/tenants.ts';
import type { Item, Prepared } from '../engine/case.ts';
import { isDisturbed, type Step, type Task } from '../engine/steps.ts';
import {
  type ClientRequest,
  clients,
  ownerOf,
  type TargetedOperation,
  targetOf,
} from './clients.ts';
import { consumerTask } from './consumers.ts';
import type { Try } from './contract-model.ts';

const isRecord = ({ type }: Item) => type === 'PAYMENT_REQUEST' || type === 'OFFER';

/** Whether an offer counts the delivery attempts that there are. */
const miscounted = (items: readonly Item[], { attempts }: Item): string[] => {
  const { length } = items.filter(({ type }) => type === 'DELIVERY');
  return attempts === length ? [] : [`it counts ${attempts} attempts, and there are ${length}`];
};

/** A message in its queue: unless it is done, it comes once more when everything is over. */
const messageTask = (letter: string, message: object) => {
  const ends: boolean[] = [];
  const task = consumerTask(letter, 'import-record', JSON.stringify(message), ends);
  const isDone = () => ends.at(-1) === true;
  const again: Task = {
    letter: 'Z',
    run: async (...args) => {
      if (!isDone()) await task.run(...args);
    },
  };
  return { task, again, isDone };
};

const inTurn = (...tasks: readonly (Task | undefined)[]): Task => ({
  letter: 'Z',
  run: async (...args) => {
    for (const task of tasks) await task?.run(...args);
  },
});

interface Found {
  readonly record: Item;
  readonly isDone: boolean;
  readonly tries: readonly Try[];
  /** The amounts that the responses show. */
  readonly shown: readonly string[];
  readonly isApproved: boolean;
}

/** Requests of clients, one without a key unless given, and a message about the same record. */
export const beside =
  (
    newTarget: () => TargetedOperation,
    messageOf: (id: string) => object,
    wrong: (found: Found, items: readonly Item[], steps: readonly Step[]) => string[],
    sent: readonly ClientRequest[] = [{}],
  ) =>
  (): Prepared => {
    const tenant = newTenantIds();
    const { workspace } = tenant;
    const client = clients(newTarget(), sent, tenant);
    const message = {
      workspace,
      version: 1,
      ...messageOf(String(client.items.find(isRecord)?.id)),
    };
    const { task, again, isDone } = messageTask(String.fromCharCode(65 + sent.length), message);
    return {
      ...client,
      items: [...client.items, ownerOf(tenant)],
      tasks: [...client.tasks, task],
      last: inTurn(client.last, again),
      verdict: (aftermath) => {
        const record = aftermath.items.find(isRecord) ?? {};
        const isApproved = aftermath.items.some(({ type }) => type === 'APPROVAL');
        const { tries } = client;
        const shown = tries.filter(isSuccess).map(({ text }) => JSON.parse(text).amount);
        const found = { record, isDone: isDone(), tries, shown, isApproved };
        return [...client.verdict(aftermath), ...wrong(found, aftermath.items, aftermath.steps)];
      },
    };
  };

const otherAmount = '9.00';

/**
 * What is approved is what the response shows, and stays: the message comes before it, or never.
 */
export const importBesideApprove = beside(
  () => targetOf(approve),
  (id) => ({
    payment_request: requestRecord({ id, worker: 'wr_1', amount: otherAmount }),
  }),
  ({ record: { version, amount, status }, isDone, shown, isApproved }) => {
    const wrong: string[] = [];
    const isImported = version === 1;
    if (!isDone) wrong.push('the message is never done');
    if (!isImported && !isApproved) wrong.push('the message is a dead letter without an approval');
    if (isImported !== (amount === otherAmount)) wrong.push(`${version} has amount ${amount}`);
    if (shown.some((each) => each !== amount)) wrong.push(`${shown} is approved as ${amount}`);
    if (status !== (isApproved ? 'approved' : 'pending')) wrong.push(`the status is ${status}`);
    return wrong;
  },
);

/** A message that changes nothing that is approved: neither it nor the approval is lost. */
export const importBesideStatus = beside(
  () => targetOf(approve),
  (id) => ({ payment_request: requestRecord({ id, note: 'Imported' }) }),
  ({ record: { note, status }, isDone, isApproved }) => [
    ...(isDone && note === 'Imported' ? [] : ['the message is lost']),
    ...(status === (isApproved ? 'approved' : 'pending') ? [] : [`the status is ${status}`]),
  ],
);

/**
 * A message that ends a request, whatever its amount is now: it counts, and what is approved stays.
 */
export const importBesideCancel = beside(
  () => targetOf(approve),
  (id) => ({
    payment_request: requestRecord({ id, amount: otherAmount, status: 'cancelled' }),
  }),
  ({ record: { version, amount, status, ended }, isDone, shown, isApproved }) => {
    const wrong: string[] = [];
    if (Boolean(ended) !== (isApproved && status === 'cancelled'))
      wrong.push(`its end is ${ended}`);
    if (!isDone || version !== 1) wrong.push('the message is lost');
    if (shown.some((each) => each !== amount)) wrong.push(`${shown} is approved as ${amount}`);
    const isFirst = amount === otherAmount;
    const end = isFirst && isApproved ? 'approved' : 'cancelled';
    if (status !== end) wrong.push(`the status is ${status}`);
    return wrong;
  },
);

/** A message that ends a request, older than what is approved again: an approval outweighs it. */
export const importOlderBesideApprove = beside(
  () => targetOf(approveAgain, { version: 2, status_version: 0 }),
  (id) => ({ payment_request: requestRecord({ id, status: 'paid' }) }),
  ({ record: { version, status, status_version: statusVersion, ended }, isDone, isApproved }) => {
    const end = isApproved ? 'approved 2 undefined false' : 'paid 2 1 true';
    const found = `${status} ${version} ${statusVersion} ${Boolean(ended)}`;
    return [
      ...(isDone ? [] : ['the message is lost']),
      ...(found === end ? [] : [`it is ${found}`]),
    ];
  },
);

const moved = 'moved@example.com';

export const importBesideResend = beside(
  () => targetOf(resend),
  (id) => ({
    offer: offerRecord({ id, status: 'sent', recipient_email: moved }),
  }),
  ({ record, isDone }, items) => [
    ...miscounted(items, record),
    ...(isDone && record.recipient_email === moved ? [] : ['the message is lost']),
  ],
);

/** A message about a request that is redacted. */
export const importBesideRedact = (): Prepared => {
  const tenant = newTenantIds();
  const { workspace } = tenant;
  const record = requestRecord({ status: 'rejected', note: 'Personal' });
  const stored = paymentRequestItem(workspace, { ...record, approvals: [] });
  const message = { workspace, version: 1, payment_request: record };
  const { task, again } = messageTask('A', message);
  const redactions: unknown[] = [];
  const { pk, sk } = stored;
  return {
    items: [stored, ownerOf(tenant)],
    tasks: [
      task,
      {
        letter: 'B',
        run: async (invoke) => {
          redactions.push(await invoke('redact', { key: { pk, sk } }).catch(() => undefined));
        },
      },
    ],
    last: again,
    verdict: ({ items, steps }) => {
      const { note, redacted, version } = items.find(isRecord) ?? {};
      const wrong: string[] = [];
      if (redactions[0] === true && !redacted) wrong.push('the redaction is lost');
      if (redacted && note) wrong.push('personal data have come back');
      if (!redacted && version !== 1 && !isDisturbed(steps)) wrong.push('the message is lost');
      return wrong;
    },
  };
};

/** Two messages about one record, of which the one that is sent last comes in any place. */
const twoMessages = (
  items: (tenant: TenantIds) => Item[],
  messageOf: (version: number) => object,
  wrong: (record: Item, items: readonly Item[], steps: readonly Step[]) => string[],
): Prepared => {
  const tenant = newTenantIds();
  const { workspace } = tenant;
  const one = messageTask('A', { workspace, version: 1, ...messageOf(1) });
  const two = messageTask('B', { workspace, version: 2, ...messageOf(2) });
  return {
    items: [...items(tenant), ownerOf(tenant)],
    tasks: [one.task, two.task],
    last: inTurn(two.again, one.again),
    verdict: ({ items: left, steps }) => {
      const record = left.find(isRecord) ?? {};
      return [
        ...wrong(record, left, steps),
        ...(record.version === 2 ? [] : [`the version is ${record.version}`]),
        ...(one.isDone() && two.isDone() ? [] : ['a message is never done']),
      ];
    },
  };
};

export const twoImports = (): Prepared => {
  const record = requestRecord();
  const stored = { ...record, approvals: [] };
  return twoMessages(
    ({ workspace }) => [paymentRequestItem(workspace, stored)],
    (version) => ({ payment_request: { ...record, note: `version ${version}` } }),
    ({ note }) => (note === 'version 2' ? [] : [`the record is that of ${note}`]),
  );
};

/**
 * Two messages of one version: the record is that of one, and the other is a dead letter; after a
 * fault also twice, or when it comes again, which is no step.
 */
export const twoReused = (): Prepared => {
  const record = requestRecord();
  return twoMessages(
    () => [],
    (number) => ({ version: 2, payment_request: { ...record, amount: `${number}.00` } }),
    ({ amount }, _, steps) => {
      const letters = steps
        .filter(({ call, ending }) => call?.operation === 'SendMessage' && ending === 'done')
        .map(({ call }) => JSON.parse(call?.input.MessageBody).payment_request.amount);
      return (isDisturbed(steps) || letters.length === 1) && !letters.includes(amount)
        ? []
        : [`the record is of ${amount}, and dead letters are of ${letters}`];
    },
  );
};

/**
 * Two messages about an approved request: one that it is paid, and a later one that leaves that.
 */
export const twoStatuses = (): Prepared => {
  const record = requestRecord();
  return twoMessages(
    ({ workspace }) => [
      paymentRequestItem(workspace, { ...record, status: 'approved', approvals: [] }),
    ],
    (version) => ({ payment_request: { ...record, status: version === 1 ? 'paid' : 'pending' } }),
    ({ status }) => (status === 'paid' ? [] : [`the status is ${status}`]),
  );
};

/** @param before the status of the offer in the table; there is none unless given */
export const twoSends = (before?: 'draft') => (): Prepared => {
  const offer = offerRecord({ status: 'sent' });
  const stored = sentOffer({ ...offer, status: 'draft', attempts: 0 });
  return twoMessages(
    ({ workspace }) => (before ? [offerItem(workspace, stored)] : []),
    () => ({ offer, ...(!before && { send: true }) }),
    (record, items) => [
      ...miscounted(items, record),
      ...(record.attempts === 1 ? [] : [`it is mailed ${record.attempts} times`]),
    ],
  );
};
