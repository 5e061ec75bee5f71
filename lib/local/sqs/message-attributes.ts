import { createHash } from 'node:crypto';
import { invalidValue } from './sqs-error.ts';

/** What a sender adds to a message, by name. A binary value is in base64. */
export type MessageAttributes = Readonly<
  Record<
    string,
    { readonly DataType: string; readonly StringValue?: string; readonly BinaryValue?: string }
  >
>;

/**
 * @throws ServiceError for what SQS refuses (Developer Guide, "Message metadata for Amazon SQS")
 */
export const checkAttributes = (attributes: MessageAttributes): void => {
  const all = Object.entries(attributes);
  if (all.length > 10) {
    throw invalidValue(
      `Number of message attributes [${all.length}] exceeds the allowed maximum [10].`,
    );
  }
  for (const [name, { DataType = '', StringValue = '', BinaryValue = '' }] of all) {
    const type = /^(String|Number|Binary)(\..{1,248})?$/.exec(DataType)?.[1];
    const value: unknown = type === 'Binary' ? BinaryValue : StringValue;
    const isValid =
      /^(?!aws\.|amazon\.|\.|.*\.\.|.*\.$)[\w.-]{1,256}$/i.test(name) &&
      typeof value === 'string' &&
      value !== '' &&
      !(type === 'Number' && Number.isNaN(Number(StringValue)));
    if (type && isValid) continue;
    throw invalidValue(
      `Message (user) attribute '${name}' must have a valid name and contain a non-empty value of type 'String', 'Number' or 'Binary'.`,
    );
  }
};

/** The name, the type and the value of each, in the order of the names. */
const partsOf = (attributes: MessageAttributes): [Buffer, Buffer, Buffer][] =>
  Object.entries(attributes)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { DataType, StringValue = '', BinaryValue = '' }]) => [
      Buffer.from(name),
      Buffer.from(DataType),
      DataType.startsWith('Binary') ? Buffer.from(BinaryValue, 'base64') : Buffer.from(StringValue),
    ]);

/** What they add to the size of a message, in bytes. */
export const sizeOf = (attributes: MessageAttributes): number =>
  Buffer.concat(partsOf(attributes).flat()).length;

/** SDKs recompute it over the body and refuse a message where it differs. */
export const md5 = (body: string | Buffer): string => createHash('md5').update(body).digest('hex');

/**
 * The digest of "Calculating the MD5 message digest for message attributes" (SQS Developer Guide),
 * which SDKs compare too. There is none without attributes.
 */
export const md5OfAttributes = (attributes: MessageAttributes = {}): string | undefined => {
  const lengthAnd = (part: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    return Buffer.concat([length, part]);
  };
  const all = partsOf(attributes).flatMap(([name, type, value]) => [
    lengthAnd(name),
    lengthAnd(type),
    Buffer.of(`${type}`.startsWith('Binary') ? 2 : 1),
    lengthAnd(value),
  ]);
  return all.length === 0 ? undefined : md5(Buffer.concat(all));
};

/** Those that a receive asks for: by name, or all. */
export const named = <Value>(
  all: Readonly<Record<string, Value>>,
  names: readonly string[] = [],
): Readonly<Record<string, Value>> | undefined => {
  const isNamed = (name: string) => names.includes('All') || names.includes(name);
  const found = Object.entries(all).filter(([name]) => isNamed(name));
  return found.length === 0 ? undefined : Object.fromEntries(found);
};
