/**
 * What JSON.parse would not keep of a text: a number of more than 15 digits, of which JavaScript
 * keeps 15, a member that occurs twice, and `__proto__`. Without recursion.
 *
 * @param text valid JSON
 * @returns sentences, with values
 */
export const lossesIn = (text: string): string[] => {
  const losses: string[] = [];
  for (const [token, string, colon] of text.matchAll(tokens)) {
    if (colon && JSON.parse(string ?? '') === '__proto__') {
      losses.push('The member __proto__ cannot be stored.');
    }
    if (/^[-\d]/.test(token) && !/^-?\d{1,15}$/.test(token.replace('.', ''))) {
      losses.push(`The number ${token} has more than 15 digits or an exponent.`);
    }
  }
  for (const path of repeatedMembers(text)) losses.push(`The member ${path.at(-1)} occurs twice.`);
  return losses;
};

/**
 * The members whose name an earlier member of their object has. Parsers disagree about which of
 * them counts. A third member of a name is not returned again.
 *
 * The text is read once and without recursion, up to the next member that is asked for.
 *
 * @param text valid JSON
 * @returns their paths, of names and indexes
 */
export function* repeatedMembers(text: string): Generator<(string | number)[]> {
  const open: { at: string | number; readonly counts: Map<string, number> }[] = [];
  for (const [token, string, colon] of text.matchAll(tokens)) {
    const around = open.at(-1);
    if (token === '{' || token === '[') open.push({ at: 0, counts: new Map() });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && typeof around?.at === 'number') around.at += 1;
    else if (string && colon && around) {
      const name: string = JSON.parse(string);
      const count = (around.counts.get(name) ?? 0) + 1;
      around.counts.set(name, count);
      around.at = name;
      if (count === 2) yield open.map(({ at }) => at);
    }
  }
}

/**
 * A text and the colon that makes it a name; bounds of objects and arrays; a comma; a number.
 * Superlinear only for what is no JSON, such as a text that does not end.
 */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\],]|-?\d[\d.eE+-]*/g;
