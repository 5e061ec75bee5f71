import * as z from 'zod/mini';
import { faultParams } from './problem.ts';

/**
 * Text from `minimum` to `maximum` characters, counted in Unicode code points, that a person reads.
 *
 * Rejects, besides what `storedText` rejects:
 * - U+2028 and U+2029, at which some programs end a line, and others a string.
 * - Bidirectional overrides, embeddings and isolates (UAX #9), with which a text reads as another.
 *   The marks LRM, RLM and ALM stay: they order the words of one script, and hide none.
 * - U+FFFD. It is what API Gateway makes of bytes that are not UTF-8 before a function sees them,
 *   so it means that something was lost.
 * - U+FFFE and U+FFFF. SQS refuses a message that holds one ("SendMessage", SQS API Reference).
 * - Text without a visible character. Joiners beside visible characters stay, as emoji and Persian
 *   words have them.
 */
export const text = (minimum: number, maximum: number) =>
  storedText(minimum, maximum).check(
    z.refine((value) => !/[\u2028-\u202e\u2066-\u2069\ufffe\uffff]/.test(value), {
      error:
        'Must not contain line or paragraph separators, bidirectional overrides, isolates, U+FFFE or U+FFFF.',
      params: faultParams('invalid_characters'),
    }),
    z.refine((value) => !value.includes('\ufffd'), {
      error: 'Must be text in UTF-8. U+FFFD stands for bytes that are not.',
      params: faultParams('invalid_characters'),
    }),
    z.refine((value) => !unseen.test(value), {
      error: 'Must contain a visible character.',
      params: faultParams('invisible'),
    }),
    z.meta({
      minLength: minimum,
      maxLength: maximum,
      pattern: minimum > 0 ? seenPattern : pattern,
    }),
  );

/**
 * Text as the table may hold it. It is wider than `text`, which is for what comes in: a rule that
 * is added there must leave every stored text readable.
 *
 * Lone surrogates cannot be written as UTF-8, so they are refused. So are control characters, among
 * them line breaks, in a name, a reason or a note: they inject headers into mail and lines into
 * logs.
 * Refinements do not reach JSON Schema: `meta` repeats them for openapi.json.
 */
export const storedText = (minimum: number, maximum: number) =>
  z.string().check(
    z.refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), {
      error: 'Must not contain control characters or lone surrogates.',
      params: faultParams('invalid_characters'),
    }),
    z.refine((value) => value.length > 0 || minimum === 0, {
      error: 'Must not be empty.',
      params: faultParams('too_short'),
    }),
    z.refine((value) => [...value].length <= maximum, {
      error: `Must be at most ${withCommas(maximum)} characters.`,
      params: faultParams('too_long'),
    }),
    z.meta({ minLength: minimum, maxLength: maximum, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' }),
  );

/** Spaces, what Unicode calls ignorable, and the one blank pattern of Braille. */
const unseen = /^[\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+$/u;

/**
 * The refused characters as a pattern of JSON Schema, which many validators read without `\p`. Not
 * U+2028 and U+2029, which no literal of JavaScript's regular expressions may hold.
 */
const refused = '\\x00-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069\\ufffd-\\uffff';
/** `unseen` but for these two, those beyond U+FFFF, and U+FEFF, which no source of Go may hold. */
const unseenThere =
  ' \\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\uffa0\\ufff0-\\ufff8';
const pattern = `^[^${refused}]*$`;
const seenPattern = `^[^${refused}]*[^${refused}${unseenThere}][^${refused}]*$`;

/**
 * A number with separators: "65,536". Not toLocaleString, whose first use in a process loads 5 MB
 * and takes 15 ms of a cold start. Superlinear, in the number's digits.
 */
export const withCommas = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

/** A text in printable ASCII: any other character is an escape of JSON. */
export const printable = (text: string) =>
  text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** What operators and callers call an account, a workspace or a sandbox. */
export const Name = text(1, 255);
