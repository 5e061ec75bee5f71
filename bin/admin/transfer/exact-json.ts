import { repeatedMembers } from '../../../functions/http/repeated-members.ts';
import { shortened } from '../terminal/print.ts';

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

/** Parses JSON, and rejects what would be lost on its way to the table. */
export const exactJson = (text: string): Parsed => {
  const parsed = parsedJson(text);
  const fault = 'value' in parsed && lossIn(text);
  return fault ? { fault } : parsed;
};

/**
 * What JSON.parse or the SDK would lose without a word: digits of a number, the first of two
 * members of one name, and members that every JavaScript object inherits, such as `__proto__`.
 *
 * @param text valid JSON
 */
const lossIn = (text: string): string | undefined => {
  for (const [token, string, colon] of text.matchAll(tokens)) {
    if (!string) {
      if (!isExact(token)) return `The number ${shortened(token)} loses digits. Write it as text.`;
    } else if (colon) {
      const name = JSON.parse(string);
      if (Object.hasOwn(Object.prototype, name)) return `The member name ${name} is reserved.`;
    }
  }
  const [path] = repeatedMembers(text);
  return path && `The member ${shortened(String(path.at(-1)))} occurs twice.`;
};

/** A text and the colon that makes it a name; a number. */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|-?\d[\d.eE+-]*/g;

const isExact = (spelling: string): boolean => {
  const kept = String(Number(spelling));
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
