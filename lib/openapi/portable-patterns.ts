/** What stands for an escape or a point between brackets, as JavaScript reads it. */
const members: Readonly<Record<string, string>> = {
  '\\d': '0-9',
  '\\w': '0-9A-Za-z_',
  '.': '^\\n\\r',
};

const inBrackets = (text: string) =>
  text.replaceAll(/\\u(?!00[0-7])([\da-f]{4})|\\./gi, (escaped, code?: string) =>
    code ? String.fromCharCode(Number.parseInt(code, 16)) : (members[escaped] ?? escaped),
  );

/**
 * A pattern that other languages read as JavaScript does: Go knows no `\u`, `\d` is any digit in
 * Python, and a point is another character in each. A point also matches U+2028 and U+2029, which
 * no literal of JavaScript's regular expressions may hold.
 */
export const portable = (pattern: string): string =>
  pattern.replaceAll(/\[(?:\\.|[^\]\\])*\]|\\u[\da-f]{4}|\\.|\./gi, (part) =>
    members[part] ? `[${members[part]}]` : inBrackets(part),
  );

/** Line separators, by how a pattern spells them. */
const lineEnds = {
  '\\n': '\n',
  '\\r': '\r',
  '\\x85': '\u0085',
};

/**
 * What matches the line separators at the end of a text that this pattern refuses there: Python's
 * `$` also matches before a final line feed, and Java's before any of them and before U+2028.
 */
const refusedEnd = (pattern: string): string => {
  const whole = new RegExp(pattern, 'u');
  const refused = Object.entries(lineEnds).filter(([, end]) => !whole.test(`a${end}`));
  return `[${refused.map(([spelt]) => spelt).join('')}]$`;
};

/** A document whose patterns are all `portable`, and refuse in each language what they should. */
export const withPortablePatterns = <Document>(document: Document): Document =>
  JSON.parse(
    JSON.stringify(document, (name, value) => {
      if (name === 'pattern' && typeof value === 'string') return portable(value);
      const { pattern, not } = value ?? {};
      if (name === 'not' || typeof pattern !== 'string' || !pattern.endsWith('$')) return value;
      const refused = [not?.pattern, refusedEnd(pattern)].filter(Boolean).join('|');
      return { ...value, not: { pattern: refused } };
    }),
  );
