import type { Act, Author } from '../domain/author.ts';
import { contentOf, type RecordChange, type RecordMessage } from '../domain/record.ts';
import { sha256 } from '../runtime/sha256.ts';
import { newStamp } from '../runtime/stamp.ts';
import { commit, putOf, updateOf, writeAlone } from './commit.ts';
import { Conflict } from './conflict.ts';
import { keys } from './keys.ts';
import { deliveryItem } from './offers.ts';
import { readItem } from './read.ts';

/** Where the record of a message is. */
export const recordKey = ({ payment_request: request, offer }: RecordMessage) =>
  request ? keys.paymentRequest(request.id) : keys.offer(offer?.id ?? '');

/** The record of a message and its workspace, as the table has them. */
export const loadRecord = (message: RecordMessage) =>
  Promise.all([readItem(recordKey(message)), readItem(keys.workspace(message.workspace))]);

/** What `importRecord` needs besides what the table has. */
export const newRecordStamp = (message: RecordMessage) => ({
  ...newStamp(),
  hash: sha256(contentOf(message)),
});

/** What must be as it was read: no two states of an item have the same values of these. */
const asRead = ['status', 'version', 'status_version', 'redacted'];

/**
 * Stores what a message changes of its record, and the first delivery attempt of an offer that it
 * sends, which the outbox then mails.
 *
 * A try that arrives late finds its own version, and changes nothing.
 *
 * @throws Conflict when the record has changed since it was read; also after a lost response
 */
export const saveRecord = async (
  message: RecordMessage,
  stored: Awaited<ReturnType<typeof readItem>>,
  { members, end, attempt }: RecordChange,
  author: Author,
): Promise<void> => {
  if (!members) return;
  const { workspace } = message;
  const key = recordKey(message);
  const type = message.offer ? 'OFFER' : 'PAYMENT_REQUEST';
  const item = { ...key, type, workspace, ...members, author };
  const changed: Act = { ...author, at: new Date().toISOString() };
  // Its first message alone says when it was created.
  const { id: _, created: __, ...changing } = members;
  const after = { ...changing, changed, ...(end && { ended: { ...end, ...changed } }) };
  const write = stored ? updateOf(key, after, stored, asRead) : putOf(item);
  if (attempt) {
    await commit([write, putOf({ ...deliveryItem(workspace, attempt), author })]);
  } else if (!(await writeAlone(write))) {
    throw new Conflict('The record has changed.');
  }
};
