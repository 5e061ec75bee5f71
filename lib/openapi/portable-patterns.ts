/** What stands for an escape or a point between brackets, as JavaScript reads it. */
const members: Readonly<Record<string, string>> = {
  '\\d': '0-9',
  '\\w': '0-9A-Za-z_',
  '.': '^\\n\\r\u2028\u2029',
};

const inBrackets = (text: string) =>
  text.replaceAll(/\\u(?!00[0-7])([\da-f]{4})|\\./gi, (escaped, code?: string) =>
    code ? String.fromCharCode(Number.parseInt(code, 16)) : (members[escaped] ?? escaped),
  );

/**
 * A pattern that other languages read as JavaScript does: Go knows no `\u`, `\d` is any digit in
 * Python, and a point is another character in each.
 */
export const portable = (pattern: string): string =>
  pattern.replaceAll(/\[(?:\\.|[^\]\\])*\]|\\u[\da-f]{4}|\\.|\./gi, (part) =>
    members[part] ? `[${members[part]}]` : inBrackets(part),
  );

/** A document whose patterns are all `portable`. */
export const withPortablePatterns = <Document>(document: Document): Document =>
  JSON.parse(
    JSON.stringify(document, (name, value) =>
      name === 'pattern' && typeof value === 'string' ? portable(value) : value,
    ),
  );
