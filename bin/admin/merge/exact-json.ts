import { repeatedMembers } from '../../../functions/http/repeated-members.ts';

/** One record of a file, or why it cannot be read. */
export type Line = { readonly number: number } & Parsed;
/** A parsed line, or what is wrong with it. */
export type Parsed = { readonly value: unknown } | { readonly fault: string };

/** Parses JSON as it comes. */
export const parsedJson = (text: string): Parsed => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { fault: 'Is not JSON.' };
  }
};

/** Parses JSON, and rejects what the table cannot keep as it is. */
export const exactJson = (text: string): Parsed => {
  const parsed = parsedJson(text);
  const fault = 'value' in parsed && lossIn(text);
  return fault ? { fault } : parsed;
};

// AWS: "Supported data types and naming rules in Amazon DynamoDB".
const maximumDepth = 32;
const maximumNameBytes = 65_535;
const smallestNumber = 1e-130;

/**
 * What JSON.parse or the SDK would lose without a word, or what they and DynamoDB reject. The text
 * is read once and without recursion.
 *
 * @param text valid JSON
 */
const lossIn = (text: string): string | undefined => {
  let depth = 0;
  for (const [token, string, colon] of text.matchAll(tokens)) {
    if (/^[[{]/.test(token)) depth += 1;
    else if (/^[\]}]/.test(token)) depth -= 1;
    const fault =
      depth > maximumDepth
        ? unkept('It is nested more than 32 levels deep.')
        : string
          ? textFault(JSON.parse(string), colon !== undefined)
          : /^[-\d]/.test(token) && numberFault(token);
    if (fault) return fault;
  }
  const [path] = repeatedMembers(text);
  return path && `The member ${shortened(String(path.at(-1)))} occurs twice.`;
};

/** A text and the colon that makes it a name; a number; a bracket. */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|-?\d[\d.eE+-]*|[[\]{}]/g;

const unkept = (reason: string) => `Cannot be stored: ${reason}`;

const textFault = (value: string, isName: boolean): string | undefined => {
  if (!value.isWellFormed()) return unkept('A text in it has a lone surrogate.');
  if (!isName) return undefined;
  if (value === '') return unkept('The name of a member is empty.');
  // Every JavaScript object inherits these, such as `__proto__`.
  if (Object.hasOwn(Object.prototype, value)) return `The member name ${value} is reserved.`;
  if (Buffer.byteLength(value) <= maximumNameBytes) return undefined;
  return unkept('The name of a member is longer than 65,535 bytes.');
};

const numberFault = (spelling: string): string | undefined => {
  const value = Number(spelling);
  if (!isExact(spelling, value)) {
    return `The number ${shortened(spelling)} loses digits. Write it as text.`;
  }
  const magnitude = Math.abs(value);
  const isKept =
    magnitude <= Number.MAX_SAFE_INTEGER && (value === 0 || magnitude >= smallestNumber);
  return isKept ? undefined : unkept('A number in it cannot be kept exactly.');
};

const isExact = (spelling: string, value: number): boolean => {
  const kept = String(value);
  return kept === spelling || (spelling.length < 400 && plain(kept) === plain(spelling));
};

/** The same for every spelling of a number, and for no other number. */
const plain = (spelling: string): string => {
  const [, sign, whole = '', fraction = '', power = 0] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(spelling) ?? [];
  const [, digits = '', zeros = ''] = /^0*(.*?)(0*)$/.exec(whole + fraction) ?? [];
  const exponent = digits ? Number(power) - fraction.length + zeros.length : 0;
  return `${sign}${digits}e${exponent}`;
};

/** The beginning of a text for a sentence: names in a file have any length. */
export const shortened = (text: string): string =>
  text.length > 60 ? `${text.slice(0, 60)}…` : text;
