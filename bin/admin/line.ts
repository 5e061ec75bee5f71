/** One record of a file, or why it cannot be read. */
export type Line = { readonly number: number } & Parsed;
/** A parsed line, or what is wrong with it. */
export type Parsed = { readonly value: unknown } | { readonly fault: string };

/** Parses a line of JSON, which must be an object. */
export const parsedJson = (text: string): Parsed => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { fault: 'Is not JSON.' };
  }
};
