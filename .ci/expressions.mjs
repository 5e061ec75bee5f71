// Checks how long the regular expressions of functions and of the client may take, with recheck's
// pure backend. `node .ci/expressions.mjs MODULES FOLDER...`, with its tools in MODULES.
//
// Nothing may be exponential. What is superlinear, or what recheck cannot decide, has a comment
// above its statement that contains "superlinear" and says what bounds its input.
import { globSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

process.env.RECHECK_BACKEND = 'pure';
const [modules, ...folders] = process.argv.slice(2);
const require = createRequire(join(resolve(modules), 'package.json'));
const [{ checkSync }, { parse }, { ancestor }] = ['recheck', 'acorn', 'acorn-walk'].map(require);

// What `RegExp` makes while a module is loaded, by the place of the call.
const made = [];
const make = (target, [source, flags = '']) => {
  const calls = new Error().stack.split('\n');
  const caller = calls.find((line) => line.includes('file:') && !line.includes(import.meta.url));
  const [, place] = /(file:\S+?):\d+\)?$/.exec(caller ?? '') ?? [];
  made.push({ place, source: String(source), flags });
  return new target(source, flags);
};
globalThis.RegExp = new Proxy(RegExp, {
  construct: make,
  apply: (target, _, given) => make(target, given),
});

/** The expressions of a file: literals, and what `RegExp` makes. */
const expressionsOf = async (file) => {
  const url = pathToFileURL(resolve(file)).href;
  const comments = [];
  const program = parse(stripTypeScriptTypes(readFileSync(file, 'utf8')), {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
    onComment: comments,
  });
  const found = [];
  const add = (node, ancestors, regex) => {
    const statement = ancestors.findLast(({ type }) => /(Statement|Declaration)$/.test(type));
    const lines = [node, statement].map(({ loc }) => loc.start.line - 1);
    const isExplained = comments.some(
      ({ value, loc }) => lines.includes(loc.end.line) && /superlinear/i.test(value),
    );
    found.push({ place: `${file}:${node.loc.start.line}`, isExplained, ...regex });
  };
  const dynamic = [];
  const addDynamic = (node, _, ancestors) => {
    if (node.callee.name === 'RegExp') dynamic.push([node, [...ancestors]]);
  };
  ancestor(program, {
    Literal: (node, _, ancestors) => {
      if (node.regex) add(node, ancestors, { source: node.regex.pattern, flags: node.regex.flags });
    },
    NewExpression: addDynamic,
    CallExpression: addDynamic,
  });
  if (dynamic.length > 0) await import(url);
  for (const [node, ancestors] of dynamic) {
    const values = made.filter(({ place }) => place === `${url}:${node.loc.start.line}`);
    // One in a function has no value before it is called.
    for (const { source, flags } of values.length > 0 ? values : [{}]) {
      add(node, ancestors, { source, flags });
    }
  }
  return found;
};

const files = folders.flatMap((folder) =>
  globSync(`${folder}/**/*.ts`, { exclude: ['**/test/**', '**/*.d.ts', '**/node_modules/**'] }),
);
const expressions = (await Promise.all(files.sort().map(expressionsOf))).flat();
let faults = 0;
for (const { place, isExplained, source, flags } of expressions) {
  const { status, complexity } =
    source === undefined ? { status: 'unknown' } : checkSync(source, flags, { timeout: 20_000 });
  const isExponential = complexity?.type === 'exponential';
  if (status === 'safe' || (isExplained && !isExponential)) continue;
  faults += 1;
  const found = complexity?.summary ?? 'not decided';
  console.error(`${place}: ${found}: /${source}/${flags ?? ''}`);
}
console.log(`${expressions.length} regular expressions, ${faults} without a bound.`);
process.exitCode = faults > 0 ? 1 : 0;
