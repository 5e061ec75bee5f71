import type { Act, Author } from '../domain/author.ts';
import { importRecord, type RecordMessage } from '../domain/record.ts';
import { newIdentity } from '../runtime/identity.ts';
import { commit, create, putNew, update, updateItem } from './commit.ts';
import { Conflict, retry } from './conflict.ts';
import { keys } from './keys.ts';
import { deliveryItem } from './offers.ts';
import { read } from './read.ts';

/** Where the record of a message is. */
export const recordKey = ({ payment_request: request, offer }: RecordMessage) =>
  request ? keys.paymentRequest(request.id) : keys.offer(offer?.id ?? '');

/**
 * Makes the table hold what a message says of its record, if it says more than is known, and the
 * first delivery attempt of an offer that it sends, which the outbox then mails.
 *
 * Status and version must be as they were read. No pair of them returns, so a try that arrives late
 * finds its own version, and changes nothing.
 *
 * @returns what it did; `known` if the table knew as much
 * @throws RecordRefused, Conflict
 */
export const saveRecord = (message: RecordMessage, author: Author) =>
  retry(async () => {
    const { workspace } = message;
    const key = recordKey(message);
    const [stored, owner] = await Promise.all([read(key), read(keys.workspace(workspace))]);
    const identity = newIdentity();
    const news = importRecord(message, stored, owner, identity);
    if (!news) return 'known';
    // Its first message alone says when it was created.
    const { id, created, ...members } = news.members;
    const { attempt } = news;
    const type = message.offer ? 'OFFER' : 'PAYMENT_REQUEST';
    const item = { ...key, type, workspace, id, created, ...members, author };
    const changed: Act = { ...author, at: identity.created };
    const after = { ...members, changed };
    const asRead = ['status', 'version', 'redacted'];
    const write = stored ? update(key, after, stored, asRead) : create(item);
    if (attempt) {
      await commit([write, create({ ...deliveryItem(workspace, attempt), author })]);
    } else if (!(await ('Update' in write ? updateItem(write.Update) : putNew(item)))) {
      throw new Conflict('The record has changed.');
    }
    return stored ? 'replaced' : 'created';
  });
