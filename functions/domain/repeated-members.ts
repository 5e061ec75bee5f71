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

/** A text and the colon that makes it a name; the bounds of objects and arrays; a comma. */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\],]/g;
