import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DeliveryAttempt, Offer, presentOffer, resend } from '../../functions/domain/offer.ts';
import { addresses, noAddresses } from '../support/addresses.ts';
import { offer, queuedAttempt } from '../support/arbitraries.ts';

describe('resending an offer', () => {
  const sent = offer.map((each): Offer => ({ ...each, status: 'sent' }));

  test('counts one more attempt and changes nothing else', () => {
    fc.assert(
      fc.property(sent, queuedAttempt, (before, attempt) => {
        const copy = structuredClone(before);

        const after = resend(before, attempt);

        expect(after).toEqual({
          ...copy,
          attempts: copy.attempts + 1,
          updated: attempt.created,
        });
        expect(before).toEqual(copy);
        expect(Offer.parse(after)).toEqual(after);
      }),
    );
  });

  test.each([
    ['draft', 'The offer is a draft.'],
    ['accepted', 'The offer has been accepted.'],
    ['declined', 'The offer has been declined.'],
    ['expired', 'The offer has expired.'],
    ['voided', 'The offer has been voided.'],
  ] as const)('is refused where the offer is %s: %s', (status, sentence) => {
    fc.assert(
      fc.property(offer, queuedAttempt, (each, attempt) => {
        expect(() => resend({ ...each, status }, attempt)).toThrow(
          expect.objectContaining({ code: 'offer_not_sent', message: sentence }),
        );
      }),
    );
  });
});

describe('the delivery that an offer shows', () => {
  test('summarises the attempts by the last one', () => {
    fc.assert(
      fc.property(offer, queuedAttempt, (each, queued) => {
        const { attempts, created, updated, ...fields } = each;
        const [, newer] = [updated, queued.updated].sort();
        for (const ending of [{}, { status: 'bounced', reason: 'permanent' }] as const) {
          const last = { ...queued, ...ending };
          const { id, status, reason } = last as DeliveryAttempt;
          expect(presentOffer(each, last)).toEqual({
            ...fields,
            delivery: { attempts, last_attempt: { id, status, reason, created: last.created } },
            created,
            updated: newer,
          });
        }
      }),
    );
  });

  test('has no last attempt while the offer was not sent', () => {
    fc.assert(
      fc.property(offer, (each) => {
        expect(presentOffer(each).delivery.last_attempt).toBeNull();
        expect(presentOffer(each).updated).toBe(each.updated);
      }),
    );
  });
});

describe('the address of an offer', () => {
  const [draft] = fc.sample(offer, 1);
  const isAddress = (recipient_email: string) =>
    Offer.safeParse({ ...draft, recipient_email }).success;

  test.each(addresses)('may be %s', (address) => expect(isAddress(address)).toBe(true));

  test.each(noAddresses)('is not %j', (address) => expect(isAddress(address)).toBe(false));
});
