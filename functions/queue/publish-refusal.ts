import { eventOf, refusalType } from '../domain/events.ts';
import type { MessageRefused } from '../domain/message-refused.ts';
import { newRefusal } from '../domain/record-refusal.ts';
import { sha256 } from '../runtime/sha256.ts';
import { keys } from '../store/keys.ts';
import { readItem } from '../store/read.ts';
import type { Received } from './consumer.ts';

/**
 * Publishes that a record is refused, which no item of the stream says. A record without an existing
 * workspace has no event, nor has one whose id belongs to another workspace: it would reveal that.
 *
 * @throws Error where the bus has not accepted the event: the message comes again
 */
export const publishRefusal = async (
  { record, input }: Received<unknown>,
  { summary, codes }: MessageRefused,
): Promise<void> => {
  const { messageId: id, attributes } = record;
  const refusal = newRefusal(input, summary, {
    hash: sha256(JSON.stringify([id, codes])),
    id,
    sender: attributes.SenderId.split(':')[0],
    sent: new Date(Number(attributes.SentTimestamp)).toISOString(),
  });
  if (!refusal.workspace || summary.faults.some(({ code }) => code === 'foreign_id')) return;
  const workspace = await readItem(keys.workspace(refusal.workspace));
  if (!workspace) return;
  // EventBridge's client would be a part of each cold start, and few records are refused.
  const { putEvents } = await import('../bus/put-events.ts');
  const event = eventOf(refusalType, refusal, { workspace });
  const failed = await putEvents([{ id, event }]);
  if (failed.length > 0) throw new Error('The bus has not accepted the event of the refusal.');
};
