import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Offer } from '../../functions/domain/offer.ts';
import { PaymentRequest } from '../../functions/domain/payment-request.ts';
import { importRecord, RecordMessage } from '../../functions/domain/record.ts';
import { offerRecord, requestRecord } from '../support/records.ts';

const page = readFileSync(join(import.meta.dirname, '../../lib/RECORDS.md'), 'utf8');
const codeIn = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, code]) => String(code));

/** The statuses that lib/RECORDS.md lists as those that a message changes each to. */
const listed = new Map(
  [...page.matchAll(/^ {2}\| ([a-z ]+) \| `(\w+)` \| (.*) \|$/gm)].map(([, noun, from, to]) => [
    `${noun?.replace(' ', '_')} ${from}`,
    codeIn(to),
  ]),
);

describe.each([
  ['payment_request', PaymentRequest.shape.status.options, requestRecord],
  ['offer', Offer.shape.status.options, offerRecord],
] as const)('a message about the member %s', (member, statuses, newRecord) => {
  const identity = { opaque: '0'.repeat(26), created: '2026-11-26T00:00:00.000Z' };
  const record = newRecord();
  const pairs = statuses.flatMap((from) => statuses.map((to) => [from, to] as const));

  test.each(pairs)('changes %s to %s only if the page says so', (from, to) => {
    const message = RecordMessage.safeParse({
      workspace: 'wsp_1',
      version: 1,
      [member]: { ...record, status: to },
    });
    expect(message.success).toBe(to !== 'approved');
    if (!message.data) return;
    const stored = { ...record, workspace: 'wsp_1', status: from, attempts: 0 };
    const { members, attempt } = importRecord(message.data, stored, {}, identity) ?? {};
    expect(members?.status).toBe(listed.get(`${member} ${from}`)?.includes(to) ? to : from);
    expect(attempt !== undefined).toBe(from === 'draft' && to === 'sent');
  });
});
