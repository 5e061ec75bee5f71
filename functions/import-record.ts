import { newAuthor } from './domain/author.ts';
import { lossesIn } from './domain/exact-json.ts';
import { importRecord, RecordMessage, RecordRefused, recordIds } from './domain/record.ts';
import { consumer } from './queue/consumer.ts';
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
  },
  async (message, { attributes: { SenderId }, messageId, body }) => {
    if (lossesIn(body).length > 0) throw new RecordRefused('inexact');
    return retry(async () => {
      const before = await loadRecord(message);
      const change = importRecord(message, before, newRecordStamp(message));
      await saveRecord(message, before, change, newAuthor(`sender:${SenderId}`, messageId));
      return change.facts;
    });
  },
);
