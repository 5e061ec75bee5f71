import { newAuthor } from './domain/author.ts';
import { importRecord, RecordMessage, recordIds, requireExact } from './domain/record.ts';
import { consumer, Postponed } from './queue/consumer.ts';
import { publishRefusal } from './queue/publish-refusal.ts';
import { retry } from './store/conflict.ts';
import { loadRecord, newRecordStamp, saveRecord } from './store/records.ts';

/** A record of a company's own system replaces the one of a lower version, in any order. */
export const handler = consumer(
  RecordMessage,
  {
    // Without its session, which names a person or a machine.
    idsIn: ({ record: { messageId, attributes }, input }) => ({
      ...recordIds(input, messageId),
      sender: attributes.SenderId.split(':')[0],
    }),
    whenRefused: publishRefusal,
  },
  async (message, { attributes: { SenderId }, messageId, body }) => {
    requireExact(body);
    return retry(async () => {
      const [stored, owner] = await loadRecord(message);
      // A sandbox may get its test workspace in a moment.
      if (!owner) throw new Postponed('There is no such workspace.');
      const change = importRecord(message, stored, newRecordStamp(message));
      await saveRecord(message, stored, change, newAuthor(`sender:${SenderId}`, messageId));
      return change.facts;
    });
  },
);
