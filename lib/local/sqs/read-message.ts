import { checkAttributes, type MessageAttributes, sizeOf } from './message-attributes.ts';
import type { NewMessage } from './queue-service.ts';
import { inRange, invalidParameter, invalidValue, required, sqsError } from './sqs-error.ts';

/** What a request says about one message, itself or in an entry of a batch. */
export interface MessageInput {
  readonly Id: string;
  readonly MessageBody?: string;
  readonly DelaySeconds?: number;
  readonly MessageGroupId?: string;
  readonly MessageDeduplicationId?: string;
  readonly MessageAttributes?: MessageAttributes;
  readonly ReceiptHandle?: string;
  readonly VisibilityTimeout?: number;
}

/** Of a message and of a batch: 1 MiB (Amazon SQS API Reference, SendMessageBatch). */
const maximumBytes = 1_048_576;

const bytesOf = ({ MessageBody = '', MessageAttributes = {} }: MessageInput): number =>
  Buffer.byteLength(MessageBody) + sizeOf(MessageAttributes);

const valid = '#x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF';

/** @throws ServiceError for what SQS refuses (Amazon SQS API Reference, SendMessage) */
export const readMessage = (input: MessageInput): NewMessage => {
  const { DelaySeconds = 0, MessageAttributes: attributes = {}, MessageGroupId: groupId } = input;
  const body = required('MessageBody', input.MessageBody);
  checkAttributes(attributes);
  const texts = Object.values(attributes).map(({ StringValue = '' }) => StringValue);
  if (/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(body + texts.join(''))) {
    const message = `Invalid characters found. Valid unicode characters are ${valid}`;
    throw sqsError('InvalidMessageContents', message);
  }
  if (bytesOf(input) > maximumBytes) {
    const reason = `Message must be shorter than ${maximumBytes} bytes.`;
    throw invalidValue(`One or more parameters are invalid. Reason: ${reason}`);
  }
  if (groupId !== undefined && !/^[!-~]{1,128}$/.test(groupId)) {
    const form = 'Must be 1 to 128 alphanumeric and punctuation characters.';
    throw invalidParameter('MessageGroupId', groupId, form);
  }
  const { MessageDeduplicationId: ofFifo } = input;
  if (ofFifo !== undefined) {
    const reason = 'The request include parameter that is not valid for this queue type.';
    throw invalidParameter('MessageDeduplicationId', ofFifo, reason);
  }
  const delayMs = inRange('DelaySeconds', DelaySeconds, 0, 900) * 1000;
  return { body, attributes, groupId, delayMs };
};

/** @throws ServiceError for what SQS refuses of a batch as a whole */
export const checkBatch = (entries: readonly MessageInput[]): void => {
  const ids = entries.map(({ Id }) => Id);
  const repeated = ids.find((id, index) => ids.indexOf(id) < index);
  const bytes = entries.reduce((sum, entry) => sum + bytesOf(entry), 0);
  const faults: readonly [boolean, string, string][] = [
    [ids.length === 0, 'EmptyBatchRequest', 'There should be at least one entry in the request.'],
    [
      ids.length > 10,
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are 10. You have sent ${ids.length}.`,
    ],
    [
      !ids.every((id) => /^[\w-]{1,80}$/.test(id)),
      'InvalidBatchEntryId',
      'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
    ],
    [repeated !== undefined, 'BatchEntryIdsNotDistinct', `Id ${repeated} repeated.`],
    [
      bytes > maximumBytes,
      'BatchRequestTooLong',
      `Batch requests cannot be longer than ${maximumBytes} bytes. You have sent ${bytes} bytes.`,
    ],
  ];
  for (const [isFault, code, message] of faults) if (isFault) throw sqsError(code, message);
};
