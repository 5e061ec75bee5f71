import { newAuthor } from './domain/author.ts';
import { lossesIn } from './domain/exact-json.ts';
import { RecordMessage, RecordRefused, recordIds } from './domain/record.ts';
import { confidentialConsumer } from './queue/consumer.ts';
import { saveRecord } from './store/records.ts';

/** What a company's own system says of a record replaces what it said before, in any order. */
export const handler = confidentialConsumer(
  RecordMessage,
  async (message, { sender, messageId, body }) => {
    if (lossesIn(body).length > 0) throw new RecordRefused('inexact');
    await saveRecord(message, newAuthor(`sender:${sender}`, messageId));
  },
  recordIds,
);
