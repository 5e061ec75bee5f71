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
  const lines = [headings, ...rows.map((row) => names.map((name) => plain(row[name])))];
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
  return members
    .map(([name, value]) => `${name.padEnd(width)}  ${plain(value)}`.trimEnd())
    .join('\n');
};

/** The same, and a table of what belongs to the object. */
export const factsWith = (object: object, noun: string, parts: readonly object[]): string =>
  [
    facts(object),
    `${countOf(parts.length, noun)}, oldest first`,
    ...(parts.length > 0 ? [columns(parts)] : []),
  ].join('\n\n');

/** The members of an object: `period.starts` is the member `starts` of `period`. */
const flat = (object: object): Record<string, unknown> => {
  const members = Object.entries(object).flatMap(([name, value]) =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? [[name, value]]
      : Object.entries(value).map(([inner, each]) => [`${name}.${inner}`, each]),
  );
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
};

/** `1 manager`, `2 managers`, `1,000 sandboxes`. */
export const countOf = (number: number, noun: string): string =>
  `${number.toLocaleString('en')} ${number === 1 ? noun : pluralOf(noun)}`;

/** `managers`, `sandboxes`. */
export const pluralOf = (noun: string): string => `${noun}${noun.endsWith('x') ? 'es' : 's'}`;

/** A value on one line. Control characters in a text could move the cursor of the terminal. */
export const plain = (value: unknown): string => {
  const text = typeof value === 'object' && value ? printedJson(value) : String(value ?? '');
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');
};

/**
 * JSON that every program splits into the same lines, and that moves no cursor: stored texts may
 * have characters that JSON leaves as they are, and at which some end a line.
 */
export const printedJson = (value: unknown, indent?: number): string =>
  escaped(JSON.stringify(value, null, indent), /[\u007f-\u009f\u2028\u2029]/g);

/** A text in which JSON's escapes stand for some characters. */
export const escaped = (text: string, characters: RegExp): string =>
  text.replaceAll(characters, (character) =>
    character.replaceAll(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
