import type { SQSRecord } from 'aws-lambda';

/**
 * When a message was first sent, under which id and by whom, without the session. A redrive gives
 * it others (SQS Developer Guide, "Dead-letter queue redrive"), so its dead letter carries the
 * `text` as an attribute, of which this reads it again.
 */
export const firstSending = ({ messageId, attributes, messageAttributes }: SQSRecord) => {
  const { SentTimestamp, SenderId } = attributes;
  const own = `${messageId} ${SentTimestamp} ${SenderId.split(':')[0]}`;
  const carried = messageAttributes.first_sending?.stringValue ?? '';
  const text = /^[\w-]{1,100} \d{1,13} \w{1,128}$/.test(carried) ? carried : own;
  const [id = '', sentMs, sender] = text.split(' ');
  return { text, id, sender, sent: new Date(Number(sentMs)).toISOString() };
};
