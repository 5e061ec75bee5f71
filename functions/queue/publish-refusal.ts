import { newAuthor } from '../domain/author.ts';
import { eventOf, refusalType } from '../domain/events.ts';
import type { MessageRefused } from '../domain/message-refused.ts';
import { RecordMessage, recordIds } from '../domain/record.ts';
import { sha256 } from '../runtime/sha256.ts';
import { keys } from '../store/keys.ts';
import { readItem } from '../store/read.ts';
import type { Received } from './consumer.ts';

/**
 * Publishes that a record is refused, which no item of the stream says. A record without an
 * existing workspace has no event; nor has a foreign id, since an event would reveal its owner.
 *
 * @throws Error where the bus has not accepted the event: the message comes again
 */
export const publishRefusal = async (
  { record: { messageId: id, attributes }, input }: Received<unknown>,
  { summary, codes }: MessageRefused,
): Promise<void> => {
  const { workspace, ...ids } = recordIds(input, id);
  if (!workspace || summary.faults.some(({ code }) => code === 'foreign_id')) return;
  const owner = await readItem(keys.workspace(workspace));
  if (!owner) return;
  const message = Object(input);
  const kinds = (['payment_request', 'offer'] as const).filter((name) => name in message);
  const kind = kinds.length === 1 ? kinds[0] : undefined;
  // In the form of an item, although the table has none. It is the same each time that the message
  // is refused for the same reasons.
  const refusal = {
    id: sha256(JSON.stringify([id, codes])),
    kind,
    record: kind && ids[kind],
    version: RecordMessage.shape.version.safeParse(message.version).data,
    ...summary,
    // Without the session of the sender.
    author: newAuthor(`sender:${attributes.SenderId.split(':')[0]}`, id),
    created: new Date(Number(attributes.SentTimestamp)).toISOString(),
  };
  // EventBridge's client would be a part of each cold start, and few records are refused.
  const { putEvents } = await import('../bus/put-events.ts');
  const event = eventOf(refusalType, refusal, { workspace: owner });
  const failed = await putEvents([{ id, event }]);
  if (failed.length > 0) throw new Error('The bus has not accepted the event of the refusal.');
};
