import { apiCompare, type Diff } from 'api-smart-diff';

/**
 * A sentence for each change that breaks a client of `/v1`, none for two compatible documents.
 * Answers may get new values in an enumeration: the contract says that clients must expect them.
 */
export const findBreaks = (before: object, after: object): string[] => {
  const breaks = apiCompare(before, after).diffs.filter(
    (diff) => diff.type === 'breaking' && diff.path[0] === 'paths' && !isNewValue(diff),
  );
  return [...new Set(breaks.map(sentence))];
};

const isNewValue = ({ action, path }: Diff) =>
  action === 'add' && path.includes('responses') && path.includes('enum');

const sentence = ({ description = '', path, action }: Diff) => {
  const [, route, method, ...place] = path;
  // The library names what became of a member of a list's items by `action` alone.
  const change = description.startsWith('[') ? description : `[${action}]${description}`;
  const where = place.length > 0 ? ` (${place.join('/')})` : '';
  return `${String(method).toUpperCase()} ${route}: ${change}${where}`;
};
