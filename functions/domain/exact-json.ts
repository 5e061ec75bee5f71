import { repeatedMembers } from './repeated-members.ts';

/**
 * What JSON.parse would not keep of a text: a number of more than 15 digits, of which JavaScript
 * keeps 15, a member that occurs twice, and `__proto__`. Without recursion, like repeatedMembers.
 *
 * @param text valid JSON
 * @returns sentences, with values
 */
export const lossesIn = (text: string): string[] => {
  const losses: string[] = [];
  for (const [token, string, colon] of text.matchAll(tokens)) {
    if (colon && JSON.parse(string ?? '') === '__proto__') {
      losses.push('The member __proto__ cannot be stored.');
    }
    if (!string && !/^-?\d{1,15}$/.test(token.replace('.', ''))) {
      losses.push(`The number ${token} has more than 15 digits or an exponent.`);
    }
  }
  for (const path of repeatedMembers(text)) losses.push(`The member ${path.at(-1)} occurs twice.`);
  return losses;
};

/** A text and the colon that makes it a name; a number. */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|-?\d[\d.eE+-]*/g;
