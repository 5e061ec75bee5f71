import type { Item, Key } from './scan.ts';

/** AWS: "Item sizes and formats", "Supported data types and naming rules in Amazon DynamoDB". */
export const maximumItemBytes = 400 * 1024;
const maximumDepth = 32;
const maximumNameBytes = 65_535;
const maximumPartitionKeyBytes = 2048;
const maximumSortKeyBytes = 1024;
const smallestNumber = 1e-130;

/** Whether DynamoDB takes these as the key of an item. */
export const isKey = (key: Key): boolean => !keyRefusalOf(key);

const keyRefusalOf = ({ pk, sk }: Key): string | undefined => {
  if (Buffer.byteLength(pk) > maximumPartitionKeyBytes) {
    return 'Its partition key is longer than 2,048 bytes.';
  }
  return Buffer.byteLength(sk) > maximumSortKeyBytes
    ? 'Its sort key is longer than 1,024 bytes.'
    : undefined;
};

/**
 * The most that a new record may have, so that it can still be changed: its status becomes longer,
 * and an import or a restore adds who made it.
 */
export const maximumRecordBytes = maximumItemBytes - 8 * 1024;
/**
 * The most that its answer may have as JSON, so that it fits into a claim with the key, the request
 * and the newest approvals: about 900 within the 20 seconds for which a claim keeps all of them.
 */
export const maximumAnswerBytes = maximumItemBytes - 16 * 1024;

/** The bytes that DynamoDB counts. */
export const sizeOfItem = (item: Item): number => sizeOf(item) - overheadBytes;

/** Why a new record could not be changed or answered later; undefined when it could. */
export const lackOfRoom = (item: Item, answer: unknown): string | undefined => {
  if (sizeOfItem(item) > maximumRecordBytes) {
    return `It is larger than ${maximumRecordBytes.toLocaleString('en')} bytes, and could not be changed later.`;
  }
  if (Buffer.byteLength(JSON.stringify(answer)) > maximumAnswerBytes) {
    return `It is larger than ${maximumAnswerBytes.toLocaleString('en')} bytes as JSON, and could not be approved later.`;
  }
  return undefined;
};

/** Why DynamoDB would refuse an item; undefined when it would not. */
export const refusalOf = (item: Item): string | undefined => {
  try {
    if (sizeOfItem(item) > maximumItemBytes) return 'It is larger than 400 KB.';
    return keyRefusalOf({ pk: String(item.pk), sk: String(item.sk) });
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
};

/** DynamoDB counts it for each map and list, but not for the item itself. */
const overheadBytes = 3;

const sizeOf = (value: unknown, depth = 0): number => {
  if (depth > maximumDepth) throw new RangeError('It is nested more than 32 levels deep.');
  if (typeof value === 'string') return sizeOfText(value);
  if (typeof value === 'number') return sizeOfNumber(value);
  if (typeof value !== 'object' || !value) return 1;
  const elements = Object.entries(value).map(
    ([name, member]) =>
      (Array.isArray(value) ? 0 : sizeOfName(name)) +
      sizeOf(member, depth + 1) +
      (depth > 0 ? 1 : 0),
  );
  return elements.reduce((sum, bytes) => sum + bytes, overheadBytes);
};

const sizeOfText = (text: string): number => {
  if (!text.isWellFormed()) throw new RangeError('A text in it has a lone surrogate.');
  return Buffer.byteLength(text);
};

const sizeOfName = (name: string): number => {
  if (name === '') throw new RangeError('The name of a member is empty.');
  const bytes = sizeOfText(name);
  if (bytes > maximumNameBytes) {
    throw new RangeError('The name of a member is longer than 65,535 bytes.');
  }
  return bytes;
};

const sizeOfNumber = (value: number): number => {
  const magnitude = Math.abs(value);
  if (magnitude > Number.MAX_SAFE_INTEGER || (value !== 0 && magnitude < smallestNumber)) {
    throw new RangeError('A number in it cannot be kept exactly.');
  }
  return Math.ceil(String(magnitude).length / 2) + 1;
};
