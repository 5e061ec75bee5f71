import { expect, test } from 'vitest';
import { sampleOffer } from '../../bin/local-run/sample-items.ts';
import { newDeliveryAttempt, Offer, presentOffer, resend } from '../../functions/domain/offer.ts';
import { addresses, noAddresses } from '../support/addresses.ts';

const created = '2026-11-01T10:00:00.000Z';
const later = '2026-11-01T10:00:07.000Z';
const sent = Object.freeze(
  sampleOffer({ id: 'ofr_1', recipient_email: 'a@example.com', created, status: 'sent' }),
);
const attempt = newDeliveryAttempt('ofr_1', '01ARZ3NDEKTSV4RRFFQ69G5FAV', later);

test.each([
  ['draft', 'The offer is a draft.'],
  ['accepted', 'The offer has been accepted.'],
  ['declined', 'The offer has been declined.'],
  ['expired', 'The offer has expired.'],
  ['voided', 'The offer has been voided.'],
] as const)('an offer that is %s is not sent again: %s', (status, message) => {
  expect(() => resend({ ...sent, status }, attempt)).toThrow(
    expect.objectContaining({ code: 'offer_not_sent', message }),
  );
});

const earlier = '2026-10-31T10:00:00.000Z';

test.each([
  [{}, later],
  [{ status: 'bounced', reason: 'permanent' }, later],
  [{ created: earlier, updated: earlier }, created],
] as const)(
  'an offer shows its last attempt, and the later change of both: %j',
  (fields, updated) => {
    const last = { ...attempt, ...fields };
    const { attempts, ...shown } = { ...sent, attempts: 7 };
    const { updated: _, offer: __, ...last_attempt } = last;
    expect(presentOffer({ ...sent, attempts }, last)).toEqual({
      ...shown,
      updated,
      delivery: { attempts, last_attempt },
    });
  },
);

test('an offer that was not sent has no last attempt', () => {
  expect(presentOffer(sent)).toMatchObject({ delivery: { last_attempt: null }, updated: created });
});

const isAddress = (recipient_email: string) =>
  Offer.safeParse({ ...sent, recipient_email }).success;

test.each(addresses)('the address of an offer may be %s', (address) =>
  expect(isAddress(address)).toBe(true),
);

test.each(noAddresses)('the address of an offer is not %j', (address) =>
  expect(isAddress(address)).toBe(false),
);
