/** A place in a generated text, and what it was made from. Lines and columns count from zero. */
export interface Mapping {
  readonly line: number;
  readonly column: number;
  readonly source: number;
  readonly originalLine: number;
  readonly originalColumn: number;
}

/** Reads the mappings of a source map (ECMA-426, section 9.2). */
export function* mappingsOf(mappings: string): Generator<Mapping> {
  let [source, originalLine, originalColumn] = [0, 0, 0];
  for (const [line, segments] of mappings.split(';').entries()) {
    let column = 0;
    for (const segment of segments.split(',')) {
      const [columns = 0, sources, lines = 0, originalColumns = 0] = numbersIn(segment);
      column += columns;
      if (sources === undefined) continue;
      source += sources;
      originalLine += lines;
      originalColumn += originalColumns;
      yield { line, column, source, originalLine, originalColumn };
    }
  }
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Base64 digits of five bits each, the lowest first; a sixth bit says that more follow. */
const numbersIn = (segment: string): number[] => {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const character of segment) {
    const digit = digits.indexOf(character);
    value += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    // The lowest bit is the sign.
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
};
