import type { Author } from '../../../functions/domain/author.ts';
import {
  newDeliveryAttempt,
  type PresentedOffer,
  presentOffer,
  send,
} from '../../../functions/domain/offer.ts';
import { AlreadyDone, claim, findClaimed } from '../../../functions/idempotency/claims.ts';
import { newIntent } from '../../../functions/idempotency/intent.ts';
import { newIdentity } from '../../../functions/runtime/identity.ts';
import { sha256 } from '../../../functions/runtime/sha256.ts';
import { retry } from '../../../functions/store/conflict.ts';
import { saveDeliveryAttempt } from '../../../functions/store/offers.ts';
import { AdminError } from '../terminal/admin-error.ts';
import { findOffer } from './tenants.ts';

/** The offer as the first call with this key left it, and whether this call was that one. */
export interface Sending {
  readonly offer: PresentedOffer;
  readonly replayed: boolean;
}

/** How long a send is retried while it conflicts with other writes. */
const patienceMs = 6000;

/**
 * Sends a draft for the first time: its first delivery attempt is committed together with a claim
 * on the key, and leaves through the outbox as a resend does. The same key again sends nothing.
 *
 * @throws AdminError, Problem `offer_not_draft`
 */
export const sendOffer = (id: string, key: string, author: Author): Promise<Sending> =>
  retry(() => sendOnce(id, key, author), patienceMs);

const sendOnce = async (id: string, key: string, author: Author): Promise<Sending> => {
  const found = await findOffer(id);
  if (!found) throw new AdminError(`There is no offer ${id}.`);
  const { workspace, offer } = found;
  const intent = newIntent({ workspace, operation: 'send-offer', key }, sha256(id));
  // After the offer: if it was sent with this key before it was read, the claim is there to be
  // read.
  const claimed = await findClaimed(intent);
  if (claimed) return replay(claimed, intent.fingerprint);
  const { opaque, created } = newIdentity();
  const attempt = newDeliveryAttempt(id, opaque, created);
  const sent = send(offer, attempt);
  const answer = presentOffer(sent, attempt);
  try {
    await saveDeliveryAttempt(workspace, offer, sent, attempt, author, claim(intent, answer));
  } catch (error) {
    if (!(error instanceof AlreadyDone)) throw error;
    return replay(error, intent.fingerprint);
  }
  return { offer: answer, replayed: false };
};

const replay = (
  claimed: { readonly fingerprint: string; readonly result: unknown },
  fingerprint: string,
): Sending => {
  if (claimed.fingerprint !== fingerprint) {
    throw new AdminError('This key has sent another offer. Use a new key for a new offer.');
  }
  return { offer: claimed.result as PresentedOffer, replayed: true };
};
