/** A line of a file without its line feed, or why it is not text. */
export type TextLine = { readonly number: number } & (
  | { readonly text: string }
  | { readonly fault: string }
);

/**
 * No line of an export is longer: JSON takes at most six bytes for what DynamoDB counts as one of
 * an item's 400 KB, as in `\u0001` or `false,`.
 */
export const maximumLineBytes = 6 * 400 * 1024;

/**
 * The lines of a text, each decoded on its own, so that bytes that are no text spoil one line. Not
 * readline, which also splits at U+2028 and U+2029; JSON may hold them in a string. Of a line that
 * is too long nothing is kept. A byte order mark is left out.
 */
export async function* textLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<TextLine> {
  let [number, length, pieces]: [number, number, Buffer[]] = [0, 0, []];
  const add = (piece: Buffer) => {
    length += piece.length;
    if (length <= maximumLineBytes) pieces.push(piece);
    else pieces = [];
  };
  const take = (): TextLine => {
    number += 1;
    const line = length > maximumLineBytes ? { fault: tooLong } : decoded(pieces, number === 1);
    [length, pieces] = [0, []];
    return { number, ...line };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  if (length > 0) yield take();
}

const lineFeed = 10;

const tooLong = `Is longer than ${maximumLineBytes.toLocaleString('en')} bytes.`;
// A decoder that replaced bytes would change the text silently.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const decoded = (pieces: readonly Buffer[], isFirst: boolean) => {
  try {
    const text = decoder.decode(Buffer.concat(pieces));
    return { text: isFirst ? text.replace(/^\ufeff/, '') : text };
  } catch {
    return { fault: 'Is not text in UTF-8.' };
  }
};
