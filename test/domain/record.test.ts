import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../functions/domain/item.ts';
import { MessageRefused } from '../../functions/domain/message-refused.ts';
import { Offer } from '../../functions/domain/offer.ts';
import {
  approve,
  newApproval,
  type PaymentRequest,
  VersionedPaymentRequest,
} from '../../functions/domain/payment-request.ts';
import {
  contentOf,
  importRecord,
  maximumRecordBytes,
  maximumStoredBytes,
  RecordMessage,
} from '../../functions/domain/record.ts';
import { permutationsOf } from '../interleave/engine/search.ts';
import { offerRecord, requestRecord } from '../support/records.ts';

const stamp = { opaque: '0'.repeat(26), created: '2026-11-26T00:00:00.000Z' };

const importing = (stored: Item | undefined, message: RecordMessage) =>
  importRecord(message, stored, { ...stamp, hash: contentOf(message) });

/** What an item in the table becomes by a message, how, and whether an offer is mailed. */
const imported = (stored: Item | undefined, message: RecordMessage) => {
  try {
    const { members, end, attempt, facts } = importing(stored, message);
    const ended = end ?? stored?.ended;
    const item = { workspace: 'wsp_1', ...stored, ...members, ended, created: stored?.created };
    const isMailed = attempt !== undefined;
    return { item: JSON.parse(JSON.stringify(item)) as Item, isMailed, end: facts.result };
  } catch (error) {
    if (!(error instanceof MessageRefused)) throw error;
    return { item: stored as Item, isMailed: false, end: error.codes.faults[0]?.code };
  }
};

/** What saveApproval writes. */
const asApproved = { status: 'approved', status_version: undefined, ended: undefined };

const itemAfter = (stored: Item | undefined, message: RecordMessage): Item =>
  imported(stored, message).item;

const requestStatuses = ['draft', 'pending', 'rejected', 'paid', 'cancelled'] as const;

const messagesOf =
  <Status extends string>(
    statuses: readonly Status[],
    recordOf: (fields: { status: Status; differs: boolean; note: string; send: boolean }) => object,
  ) =>
  (minimumStep: number) =>
    fc
      .array(
        fc.record({
          status: fc.constantFrom(...statuses),
          differs: fc.boolean(),
          send: fc.boolean(),
          step: fc.integer({ min: minimumStep, max: 3 }),
        }),
        { minLength: 2, maxLength: 4 },
      )
      .map((drawn) => {
        let version = 0;
        return drawn.map(({ step, ...fields }) => {
          version = Math.max(1, version + step);
          return RecordMessage.parse({
            workspace: 'wsp_1',
            version,
            // A version can be told by what an approval returns.
            ...recordOf({ ...fields, note: `version ${version}` }),
          });
        });
      });

const requestMessagesOf = messagesOf(requestStatuses, ({ status, differs, note }) => ({
  payment_request: requestRecord({
    id: 'ptr_1',
    status,
    note,
    ...(differs && { amount: '9.00' }),
  }),
}));
const offerMessagesOf = messagesOf(Offer.shape.status.options, ({ status, differs, send }) => ({
  offer: offerRecord({
    id: 'ofr_1',
    status,
    recipient_email: differs ? 'moved@example.com' : 'there@example.com',
  }),
  ...(send && status === 'sent' && { send }),
}));
const [requestMessages, offerMessages] = [requestMessagesOf(1), offerMessagesOf(1)];

describe('messages in any order', () => {
  const endOf = (messages: readonly RecordMessage[]) => {
    let item: Item | undefined;
    let mails = 0;
    for (const message of messages) {
      const next = imported(item, message);
      item = next.item;
      mails += Number(next.isMailed);
    }
    return { item, mails };
  };

  test.each([
    ['payment request', requestMessages],
    ['offer', offerMessages],
  ])('leave the %s of the highest version in every member', (_, messages) => {
    fc.assert(
      fc.property(messages, (sent) => {
        const last = sent.at(-1) as RecordMessage;
        for (const order of permutationsOf(sent)) {
          const { attempts, updated, created, ...item } = endOf(order).item ?? {};
          const { created: __, ...record } = { ...last.payment_request, ...last.offer };
          const hashes = { [last.version]: contentOf(last) };
          expect(item).toEqual({ workspace: 'wsp_1', ...record, version: last.version, hashes });
        }
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['payment request', requestMessagesOf(0)],
    ['offer', offerMessagesOf(0)],
  ])('never leave a version of the %s that is used twice unnoticed', (_, messages) => {
    const places = fc.subarray([0, 1, 2, 3]);
    fc.assert(
      fc.property(messages, places, (sent, approvedAt) => {
        for (const order of permutationsOf(sent)) {
          let item: Item | undefined;
          /** What the record has of each version: its members, or its status. */
          const has = new Map<unknown, string>();
          for (const [index, message] of order.entries()) {
            const { version } = message;
            const hashes = (item?.hashes ?? {}) as Item;
            for (const each of [item?.version, item?.status_version]) {
              if (each !== undefined) expect(hashes).toHaveProperty(String(each));
            }
            const held = version in hashes;
            const next = imported(item, message);
            const isReused = held && has.get(version) !== contentOf(message);
            expect(next.end === 'version_reused').toBe(isReused);
            if (isReused) expect(next.item).toEqual(item);
            if (held && !isReused) expect(next.end).toBe('known');
            if (next.end === 'created' || next.end === 'replaced') {
              has.set(version, contentOf(message));
            }
            item = next.item;
            if (message.payment_request && approvedAt.includes(index)) {
              item = { ...item, ...asApproved };
            }
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test('mail an offer at most once; and once, if its highest version sends it and each one says so', () => {
    fc.assert(
      fc.property(offerMessages, (sent) => {
        for (const order of permutationsOf(sent)) {
          const { item, mails } = endOf(order);
          expect(item?.attempts).toBe(mails);
          expect(mails).toBeLessThanOrEqual(1);
          const always = sent.every(({ offer, send }) => offer?.status !== 'sent' || send);
          if (always && item?.status === 'sent') expect(mails).toBe(1);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('end the same beside approvals that return the same, at any places', () => {
    const places = fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(requestMessages, places, (sent, approvedAt) => {
        const ends = new Map<string, unknown>();
        for (const order of permutationsOf(sent)) {
          let item: Item | undefined;
          const responses: unknown[] = [];
          for (const [index, message] of order.entries()) {
            item = itemAfter(item, message);
            if (!approvedAt.includes(index + 1)) continue;
            item = { ...item, ...asApproved };
            const hidden = { version: undefined, approved: undefined, hashes: undefined };
            responses.push({ ...item, ...hidden });
          }
          const key = JSON.stringify(responses);
          // Of two messages with one end, the first to come is the end.
          const unlike = { approved: undefined, hashes: undefined, ended: undefined };
          const end = JSON.parse(JSON.stringify({ ...item, ...unlike }));
          if (responses.length > 0) expect(ends.get(key) ?? end).toEqual(end);
          ends.set(key, end);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

test('one approval at most is of an open request, and none names a version with another worker, amount or currency', () => {
  const tags = ['*', 'W/"1"', ...Array.from({ length: 12 }, (_, version) => `"${version}"`)];
  const approvals = fc.array(fc.option(fc.subarray(tags, { minLength: 1 }), { nil: undefined }), {
    minLength: 4,
    maxLength: 4,
  });
  const approver = '11111111-1111-4111-8111-111111111111';
  const manager = { id: approver, account: 'acc_1', created: stamp.created };
  fc.assert(
    fc.property(requestMessages, approvals, (sent, preconditions) => {
      for (const order of permutationsOf(sent)) {
        let item: Item | undefined;
        let ofOpen = 0;
        for (const [index, message] of order.entries()) {
          item = itemAfter(item, message);
          const { created } = requestRecord();
          const before = VersionedPaymentRequest.parse({ ...item, created, approvals: [] });
          const { opaque } = stamp;
          const approval = newApproval(before, { approver }, opaque, created);
          const ifMatch = preconditions[index];
          let response: PaymentRequest;
          try {
            response = approve(before, manager, approval, ifMatch);
          } catch (error) {
            expect(error).toHaveProperty('code', 'version_mismatch');
            continue;
          }
          item = { ...item, ...asApproved };
          ofOpen += Number(['draft', 'pending'].includes(`${approval.previous_status}`));
          if (ifMatch && !ifMatch.includes('*')) expect(ifMatch).toContain(`"${approval.version}"`);
          const seen = sent.find(({ version }) => version === approval.version)?.payment_request;
          if (approval.version === undefined) continue;
          const { worker, amount, currency } = response;
          expect(seen).toMatchObject({ worker, amount, currency });
        }
        expect(ofOpen).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 300 },
  );
});

describe('the content of a version', () => {
  const content = (fields: object, more: object = {}) =>
    contentOf(
      RecordMessage.parse({
        workspace: 'wsp_1',
        version: 1,
        ...more,
        payment_request: requestRecord({ id: 'ptr_1', ...fields }),
      }),
    );
  const first = content({ payment: { b: [{ d: -0, c: 1 }], a: 2 } });

  test('is the same in another order of members, with -0 as 0, another time and another number', () => {
    const same = { payment: { a: 2, b: [{ c: 1.0, d: 0 }] }, created: '2020-01-01T00:00:00Z' };
    expect(content(same, { version: 2 })).toBe(first);
    const names = ['a,b', 'a', 'b', '10', '9'];
    const spellings = permutationsOf(names).map((order) =>
      content({ payment: Object.fromEntries(order.map((name) => [name, 'c'])) }),
    );
    expect(new Set(spellings).size).toBe(1);
  });

  test('of an offer is the same whether it is mailed, and differs with its address', () => {
    const offer = offerRecord({ status: 'sent' });
    const contentWith = (fields: object) =>
      contentOf(RecordMessage.parse({ workspace: 'wsp_1', version: 1, offer, ...fields }));
    expect(contentWith({ send: true })).toBe(contentWith({}));
    const moved = { ...offer, recipient_email: 'moved@example.com' };
    expect(contentWith({ offer: moved })).not.toBe(contentWith({}));
  });

  test('differs with any other member and with the order of its documents', () => {
    expect(content({ documents: [1, 2] })).not.toBe(content({ documents: [2, 1] }));
    expect(content({ documents: [[1]] })).not.toBe(content({ documents: [{ 0: 1 }] }));
    expect(content({ payment: { b: [{ d: 0, c: 2 }], a: 2 } })).not.toBe(first);
    const stored = { worker: 'wr_2', note: 'x', status: 'paid', payment: {}, documents: [''] };
    for (const member of Object.entries(stored)) {
      expect(content(Object.fromEntries([member]))).not.toBe(content({}));
    }
  });
});

test.each([
  ['payment_request', requestRecord()],
  ['offer', offerRecord()],
])('a member of %s that a higher version leaves out is removed', (type, record) => {
  const message = RecordMessage.parse({ workspace: 'wsp_1', version: 1, [type]: record });
  const { item } = imported(undefined, message);
  for (const name of Object.keys(record)) {
    const { [name as keyof typeof record]: _, ...rest } = record;
    const later = { ...message, version: 2, [type]: rest } as RecordMessage;
    expect(importing(item, later).members).toMatchObject({ [name]: undefined });
    expect(Object.keys(importing(item, later).members ?? {})).toContain(name);
  }
});

describe('the size of a record', () => {
  const takes = (documents: unknown[]) =>
    RecordMessage.safeParse({
      workspace: 'wsp_1',
      version: 1,
      payment_request: requestRecord({ documents }),
    });
  const nested = (levels: number): unknown => (levels === 0 ? [] : [nested(levels - 1)]);

  test('is counted as JSON and as DynamoDB counts it', () => {
    const deep = JSON.stringify(nested(28)).length + 1;
    const count = Math.floor((maximumRecordBytes - 1000) / deep);
    const { error } = takes(Array.from({ length: count }, () => nested(28)));
    expect(error?.issues).toMatchObject([
      { path: ['payment_request'], params: { code: 'too_big' } },
    ]);
    expect(takes(['x'.repeat(maximumRecordBytes - 500)]).success).toBe(true);
    expect(maximumStoredBytes).toBeLessThan(400 * 1024);
  });

  test.each([[''], ['constructor'], ['n'.repeat(256)]])('a member %j is refused', (name) => {
    expect(takes([[{ [name]: 1 }]]).error?.issues).toMatchObject([
      { path: ['payment_request', 'documents'], params: { code: 'unstorable' } },
    ]);
  });
});

test.each([
  ['2026-10-31T09:00:00+00:00', '2026-10-31T09:00:00.000Z'],
  ['2026-10-31T09:00:00.123456Z', '2026-10-31T09:00:00.123Z'],
  ['2026-10-31t09:00:00.5z', '2026-10-31T09:00:00.500Z'],
  ['2026-10-31 09:00:00-00:00', '2026-10-31T09:00:00.000Z'],
  ['2026-10-31T00:30:00+01:00', '2026-10-30T23:30:00.000Z'],
  ['1990-12-31T23:59:60.25Z', '1991-01-01T00:00:00.250Z'],
  ['2024-02-29T12:00:00-05:30', '2024-02-29T17:30:00.000Z'],
  ['2026-10-31T09:00:00', undefined],
  ['2026-10-31T09:00Z', undefined],
  ['2026-10-31T09:00:00+0100', undefined],
  ['2026-02-29T09:00:00Z', undefined],
  ['2026-10-31T24:00:00Z', undefined],
  ['0000-01-01T00:00:00+01:00', undefined],
  ['9999-12-31T23:59:59-01:00', undefined],
  ['2026-10-31', undefined],
])('the time %s of a record is %s', (created, utc) => {
  const offer = offerRecord({ created });
  const { data } = RecordMessage.safeParse({ workspace: 'wsp_1', version: 1, offer });
  expect(data?.offer?.created).toBe(utc);
});
