import { Problem } from '../domain/problem.ts';

/** So many identifiers are about 1 KB: a longer list is deflated, to 20 bytes each. */
const longList = 25;

/** An item has 400 KB at most (DynamoDB Developer Guide, "Quotas"); the rest of a claim, 1 KB. */
const maximumBytes = 399 * 1024;

/**
 * A response as its claim keeps it. It is text, because DynamoDB does not keep the order of a map's
 * members, and a replay is the same bytes.
 *
 * @throws Problem `response_too_large`
 */
export const savedResponse = (response: object): string => {
  const { approvals = [] } = response as { readonly approvals?: readonly string[] };
  const isLong = approvals.length > longList;
  const text = JSON.stringify(isLong ? { ...response, approvals: deflate(approvals) } : response);
  if (Buffer.byteLength(text) <= maximumBytes) return text;
  throw new Problem(
    'response_too_large',
    'The response is too large to be saved for a retry. Send the request without a key.',
  );
};

/** A saved response exactly as it was. */
export const restoredResponse = (text: unknown) => {
  const response = JSON.parse(String(text));
  const { approvals } = response;
  return typeof approvals === 'string' ? { ...response, approvals: inflate(approvals) } : response;
};

/** Not imported: loading it takes 2 ms, and few requests need it. */
const zlib = () => process.getBuiltinModule('node:zlib');

const deflate = (approvals: readonly string[]): string =>
  zlib().deflateRawSync(JSON.stringify(approvals)).toString('base64');

const inflate = (approvals: string): string[] =>
  JSON.parse(zlib().inflateRawSync(Buffer.from(approvals, 'base64')).toString());
