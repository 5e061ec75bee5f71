/** What these lines of JSON hold. */
// biome-ignore lint/suspicious/noExplicitAny: tests compare what they look into.
export const parseLines = (text: string): any[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
