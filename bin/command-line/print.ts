import { printable } from '../../functions/domain/text.ts';

/**
 * Objects in rows under the names of their members, in columns as wide as they need to be.
 *
 * @param names of the members that are shown; all unless given
 */
export const columns = (
  objects: readonly object[],
  names: readonly string[] = [...new Set(objects.flatMap((each) => Object.keys(flat(each))))],
): string => {
  const headings = names.map((name) => name.toUpperCase());
  const rows = objects.map(flat);
  const lines = [headings, ...rows.map((row) => names.map((name) => row[name] ?? ''))];
  const widths = headings.map((_, column) =>
    lines.reduce((width, cells) => Math.max(width, cells[column]?.length ?? 0), 0),
  );
  const padded = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0);
  return lines.map((cells) => cells.map(padded).join('  ').trimEnd()).join('\n');
};

/** The members of an object, one a line after its name. */
export const facts = (object: object): string => {
  const members = Object.entries(flat(object));
  const width = Math.max(...members.map(([{ length }]) => length));
  return members.map(([name, value]) => `${name.padEnd(width)}  ${value}`.trimEnd()).join('\n');
};

/** The same, and a table of what belongs to the object. */
export const factsWith = (object: object, noun: string, parts: readonly object[]): string =>
  [
    facts(object),
    `${countOf(parts.length, noun)}, oldest first`,
    ...(parts.length > 0 ? [columns(parts)] : []),
  ].join('\n\n');

/**
 * The members of an object as a terminal may show them: `period.starts` is the member `starts` of
 * `period`. Whoever sent an object chose names in it too.
 */
const flat = (object: object): Record<string, string> => {
  const members = Object.entries(object).flatMap(([name, value]) =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? [[name, value]]
      : Object.entries(value).map(([inner, each]) => [`${name}.${inner}`, each]),
  );
  return Object.fromEntries(
    members.filter(([, value]) => value !== undefined).map((member) => member.map(plain)),
  );
};

/** `1 manager`, `2 managers`, `1,000 sandboxes`. */
export const countOf = (number: number, noun: string): string =>
  `${number.toLocaleString('en')} ${number === 1 ? noun : pluralOf(noun)}`;

/** `managers`, `sandboxes`. */
export const pluralOf = (noun: string): string => `${noun}${noun.endsWith('x') ? 'es' : 's'}`;

/**
 * A value on one line of a terminal. JSON's escapes stand for the characters that move its cursor,
 * end a line, are not seen, or change the order of others. The marks LRM, RLM and ALM, and joiners,
 * stay: words and emoji consist of them.
 */
export const plain = (value: unknown): string => {
  const text = typeof value === 'object' && value ? JSON.stringify(value) : String(value ?? '');
  return text.replaceAll(
    /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]--[\u061c\u200c-\u200f]]/gv,
    (character) => printable(character),
  );
};

/** A text of several lines, each as `plain` makes it. */
export const plainLines = (text: string): string => text.split('\n').map(plain).join('\n');

/** JSON that every program splits into the same lines, and that a terminal may show. */
export const printedJson = (value: unknown, indent?: number): string =>
  plainLines(JSON.stringify(value, null, indent));
