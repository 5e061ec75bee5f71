import { type Author, authorIn } from '../../../functions/domain/author.ts';
import {
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
import { read } from '../../../functions/store/read.ts';
import { AdminError, required } from '../terminal/admin-error.ts';
import { readPartition } from './scan.ts';
import { MailedAttempt } from './shapes.ts';

/**
 * An offer of any workspace.
 *
 * @throws AdminError when there is none
 */
export const requireOffer = async (id: string): Promise<{ workspace: string; offer: Offer }> => {
  const item = required(await read(keys.offer(id)), `There is no offer ${id}.`);
  return { workspace: String(item.workspace), offer: Offer.parse(item) };
};

/**
 * An offer as the API returns it, with its author and its delivery attempts, the oldest first.
 *
 * @throws AdminError when there is none
 */
export const loadOffer = async (id: string) => {
  const items = await readPartition(keys.offer(id).pk);
  const found = items.find(({ type }) => type === 'OFFER');
  const item = required(found, `There is no offer ${id}.`);
  const attempts = items
    .filter(({ type }) => type === 'DELIVERY')
    .map((attempt) => ({ ...MailedAttempt.parse(attempt), author: authorIn(attempt) }));
  return {
    workspace: String(item.workspace),
    offer: presentOffer(Offer.parse(item), attempts.at(-1)),
    author: authorIn(item),
    attempts,
  };
};

/** How long a send is retried while it conflicts with other writes. */
const patienceMs = 6000;

/**
 * Sends a draft for the first time: its first delivery attempt is committed together with a claim
 * on the key, and leaves through the outbox as a resend does. The same key again sends nothing.
 *
 * @returns the offer as the first call with this key left it, and whether this call was another one
 * @throws AdminError, Problem `offer_not_draft`
 */
export const sendOffer = (id: string, key: string, author: Author) =>
  retry(() => sendOnce(id, key, author), patienceMs);

const sendOnce = async (id: string, key: string, author: Author) => {
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

const replay = (claimed: Pick<AlreadyDone, 'fingerprint' | 'result'>, { fingerprint }: Intent) => {
  if (claimed.fingerprint !== fingerprint) {
    throw new AdminError('This key has sent another offer. Use a new key for a new offer.');
  }
  return { offer: claimed.result as PresentedOffer, replayed: true };
};
