import { repeatedMembers } from './repeated-members.ts';

/**
 * What JSON.parse would not keep of a text: a number of more than 15 digits, of which JavaScript
 * keeps 15, a member that occurs twice, and `__proto__`.
 *
 * @param text valid JSON
 * @returns sentences, with values
 */
export const lossesIn = (text: string): string[] => {
  const losses: string[] = [];
  JSON.parse(text, (name, member, { source = '' } = {}) => {
    if (name === '__proto__') losses.push('The member __proto__ cannot be stored.');
    if (typeof member === 'number' && !/^-?\d{1,15}$/.test(source.replace('.', ''))) {
      losses.push(`The number ${source} has more than 15 digits or an exponent.`);
    }
    return member;
  });
  for (const path of repeatedMembers(text)) losses.push(`The member ${path.at(-1)} occurs twice.`);
  return losses;
};
