/** One record of a file, or why it cannot be read. */
export type Line = { readonly number: number } & Parsed;
export type Parsed = { readonly value: unknown } | { readonly fault: string };

export const parsedJson = (text: string): Parsed => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { fault: 'Is not JSON.' };
  }
};
