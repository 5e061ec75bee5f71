import { inBody, maximumPointerLength } from './faults.ts';

/** What is lost, where (a JSON pointer), and the value in its own spelling. */
interface Loss {
  readonly pointer: string;
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
  for (const { open, name, count, number } of walk(text)) {
    const lose = (sentence: string) =>
      losses.push({ ...inBody(pathOf(open)), sentence, value: name ?? number });
    if (name === '__proto__') lose('The member cannot be stored.');
    if (count === 2) lose('The member occurs twice.');
    if (number === undefined) continue;
    if (!isKept(number)) lose(`The number ${numberRule}.`);
    // A spreadsheet has rounded it: 1.73E+12.
    const isVersion = open.length === 1 && open[0]?.at === 'version';
    if (isVersion && /e/i.test(number)) lose('The version has an exponent.');
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
const numberRule = `must have at most 15 significant digits, and be 0 or from 1E-130 to ${Number.MAX_SAFE_INTEGER} in magnitude`;

/**
 * The members whose name an earlier member of their object has. Parsers disagree about which of
 * them counts. A third member of a name is not returned again.
 *
 * @param text valid JSON
 * @returns their paths
 */
export function* repeatedMembers(text: string): Generator<Path> {
  for (const { open, count } of walk(text)) {
    if (count === 2) yield pathOf(open);
  }
}

type Path = readonly (string | number)[];

/** The objects and lists around a place, each with the name or the index of what is there. */
type Open = { at: string | number; readonly counts: Map<string, number> }[];

/** A name, as often as it has come in its object; or a number as it is spelt. */
interface Visit {
  readonly open: Readonly<Open>;
  readonly name?: string;
  readonly count?: number;
  readonly number?: string;
}

/** Reads the text once, without recursion, and only as far as the caller asks for visits. */
function* walk(text: string): Generator<Visit> {
  const open: Open = [];
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
      yield { open, name, count };
    } else if (/^[-\d]/.test(token)) yield { open, number: token };
  }
}

/** Of so many names that a pointer of them is cut (`inBody`), and no more: it may be deep. */
const pathOf = (open: Readonly<Open>): Path =>
  open.slice(0, maximumPointerLength + 1).map(({ at }) => at);

/**
 * A text and the colon that makes it a name; bounds of objects and arrays; a comma; a number.
 * Superlinear only for what is no JSON, such as a text that does not end.
 */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\],]|-?\d[\d.eE+-]*/g;
