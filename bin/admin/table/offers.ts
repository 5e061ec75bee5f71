import { type Author, authorIn } from '../../../functions/domain/author.ts';
import {
  DeliveryAttempt,
  newDeliveryAttempt,
  Offer,
  type PresentedOffer,
  presentOffer,
  send,
} from '../../../functions/domain/offer.ts';
import { AlreadyDone, claim, findClaimed } from '../../../functions/idempotency/claims.ts';
import { type Intent, newIntent } from '../../../functions/idempotency/intent.ts';
import { newIdentity } from '../../../functions/runtime/identity.ts';
import { sha256 } from '../../../functions/runtime/sha256.ts';
import { retry } from '../../../functions/store/conflict.ts';
import { keys } from '../../../functions/store/keys.ts';
import { saveDeliveryAttempt } from '../../../functions/store/offers.ts';
import { delivery } from '../kinds/delivery.ts';
import { offer as offerKind } from '../kinds/offer.ts';
import { AdminError, required } from '../terminal/admin-error.ts';
import { readItem, readPartition } from './scan.ts';

/** An attempt with the name that the mail provider gave to its mail, and its author. */
export type MailedAttempt = DeliveryAttempt & {
  readonly message_id?: string;
  readonly author: Author;
};

/** An offer as the API returns it, with its delivery attempts. */
export interface LoadedOffer {
  readonly workspace: string;
  readonly offer: PresentedOffer;
  /** The oldest first. */
  readonly attempts: readonly MailedAttempt[];
}

/**
 * An offer of any workspace.
 *
 * @throws AdminError when there is none
 */
export const requireOffer = async (id: string): Promise<{ workspace: string; offer: Offer }> => {
  const item = required(await readItem(keys.offer(id)), `There is no offer ${id}.`);
  return { workspace: String(item.workspace), offer: Offer.parse(item) };
};

/** @throws AdminError when there is none */
export const loadOffer = async (id: string): Promise<LoadedOffer> => {
  const items = await readPartition(keys.offer(id).pk);
  const found = items.find(({ type }) => type === offerKind.type);
  const item = required(found, `There is no offer ${id}.`);
  const attempts = items
    .filter(({ type }) => type === delivery.type)
    .map(({ message_id, ...attempt }) => ({
      ...DeliveryAttempt.parse(attempt),
      ...(typeof message_id === 'string' && { message_id }),
      author: authorIn(attempt),
    }));
  return {
    workspace: String(item.workspace),
    offer: presentOffer(Offer.parse(item), attempts.at(-1)),
    attempts,
  };
};

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
  const { workspace, offer } = await requireOffer(id);
  const intent = newIntent({ workspace, operation: 'send-offer', key }, sha256(id));
  // After the offer: if it was sent with this key before it was read, the claim is there to be
  // read.
  const claimed = await findClaimed(intent);
  if (claimed) return replay(claimed, intent);
  const { opaque, created } = newIdentity();
  const attempt = newDeliveryAttempt(id, opaque, created);
  const sent = send(offer, attempt);
  const answer = presentOffer(sent, attempt);
  try {
    await saveDeliveryAttempt(workspace, offer, sent, attempt, author, claim(intent, answer));
  } catch (error) {
    if (!(error instanceof AlreadyDone)) throw error;
    return replay(error, intent);
  }
  return { offer: answer, replayed: false };
};

const replay = (
  claimed: Pick<AlreadyDone, 'fingerprint' | 'result'>,
  { fingerprint }: Intent,
): Sending => {
  if (claimed.fingerprint !== fingerprint) {
    throw new AdminError('This key has sent another offer. Use a new key for a new offer.');
  }
  return { offer: claimed.result as PresentedOffer, replayed: true };
};
