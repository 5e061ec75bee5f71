const string = String.raw`"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"`;
const number = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const value = `[[{]|${string}|${number}|true|false|null`;

/** What may follow, each after white space. */
const next = {
  value: new RegExp(value, 'y'),
  name: new RegExp(string, 'y'),
  colon: /:/y,
  '[': new RegExp(`]|${value}`, 'y'),
  '{': new RegExp(`}|${string}`, 'y'),
  'in [': /[\],]/y,
  'in {': /[},]/y,
  nothing: /(?!)/y,
} as const;

/**
 * Where a text that is not JSON stops being JSON, as line and column. The message of `JSON.parse`
 * names a place for some errors only, and quotes the text.
 */
export const jsonFaultPlace = (text: string): string => {
  const before = text.slice(0, faultOffset(text)).split(/\r\n|\r|\n/);
  return `line ${before.length}, column ${[...(before.at(-1) ?? '')].length + 1}`;
};

const faultOffset = (text: string): number => {
  const open: ('[' | '{')[] = [];
  let expected: keyof typeof next = 'value';
  for (let at = 0; ; ) {
    at += text.slice(at).search(/[^ \t\n\r]|$/);
    next[expected].lastIndex = at;
    const token: string | undefined = next[expected].exec(text)?.[0];
    if (token === undefined) return at;
    at += token.length;
    if (token === '[' || token === '{') {
      open.push(token);
      expected = token;
    } else if (token === ',') {
      expected = open.at(-1) === '{' ? 'name' : 'value';
    } else if (token === ':') {
      expected = 'value';
    } else if (token !== '}' && (expected === 'name' || expected === '{')) {
      expected = 'colon';
    } else {
      if (token === ']' || token === '}') open.pop();
      const around = open.at(-1);
      expected = around ? `in ${around}` : 'nothing';
    }
  }
};
