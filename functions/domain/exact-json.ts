/** What is wrong with a value, and the value in its own spelling. */
interface Loss {
  readonly sentence: string;
  readonly value: unknown;
}

/**
 * What is lost of a record between its text and a response: a number that is not kept, the exponent
 * of a version, a member that occurs twice, and `__proto__`. Without recursion.
 *
 * @param text valid JSON
 */
export const lossesIn = (text: string): Loss[] => {
  const losses: Loss[] = [];
  let levels = 0;
  let member: unknown;
  for (const [token, string, colon] of text.matchAll(tokens)) {
    if (/^[{[]/.test(token)) levels += 1;
    if (/^[}\]]/.test(token)) levels -= 1;
    if (colon) member = JSON.parse(string ?? '');
    if (colon && member === '__proto__')
      losses.push({ sentence: 'The member cannot be stored.', value: member });
    if (!/^[-\d]/.test(token)) continue;
    if (!isKept(token)) losses.push({ sentence: `The number ${numberRule}.`, value: token });
    // A spreadsheet has rounded it: 1.73E+12.
    const isVersion = levels === 1 && member === 'version';
    if (isVersion && /e/i.test(token))
      losses.push({ sentence: 'The version has an exponent.', value: token });
  }
  for (const path of repeatedMembers(text)) {
    losses.push({ sentence: 'The member occurs twice.', value: path.at(-1) });
  }
  return losses;
};

/**
 * Whether the value of a number is kept, however it is spelt: JavaScript keeps 15 significant
 * digits, DynamoDB nothing nearer to zero ("Supported data types and naming rules"), and the SDK
 * writes nothing beyond JavaScript's safe integers. No rounding of 15 digits crosses these limits.
 */
const isKept = (text: string): boolean => {
  const digits = text.replace(/e.*/i, '').replaceAll(/[-.]/g, '');
  const [significant] = /[1-9](?:\d*[1-9])?/.exec(digits) ?? [];
  const magnitude = Math.abs(Number(text));
  return (
    significant === undefined ||
    (significant.length <= 15 && magnitude >= 1e-130 && magnitude <= Number.MAX_SAFE_INTEGER)
  );
};

/** What `isKept` checks. */
export const numberRule = `must have at most 15 significant digits, and be 0 or from 1E-130 to ${Number.MAX_SAFE_INTEGER} in magnitude`;

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
