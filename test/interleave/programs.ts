import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import { type Files, unpack } from '../releases/archive.ts';
import { pathOf } from '../releases/kept-releases.ts';
import { bundleScript, type Program, programOf } from './instance.ts';

/** What operators do, each as a program of its own. */
const operators: Readonly<Record<string, string>> = {
  revoke: `
    import { revokeToken } from './bin/admin/table/tokens.ts';
    export const handler = ({ key, act }) => revokeToken(key, act);
  `,
  redact: `
    import { rewrite } from './bin/admin/table/bulk.ts';
    import { redactor } from './bin/admin/table/redactions.ts';
    import { read } from './functions/store/read.ts';
    export const handler = async ({ key, redactions }) => {
      const item = await read(key);
      return !item || rewrite(item, redactor(redactions)(item));
    };
  `,
};

/** The functions that cases invoke, besides what operators do. */
const invoked = [
  'approve-payment-request',
  'authorize',
  'create-sandbox',
  'deliver-offer',
  'provision-sandbox',
  'publish-events',
  'record-mail-event',
  'relay-outbox',
  'resend-offer',
];

/** By the name of a function, or of what an operator does. */
export type Programs = ReadonlyMap<string, Program>;

/** The functions that cases invoke, or only these, each as a program. @param plugins change them */
export const compileFunctions = async (
  plugins: Plugin[] = [],
  only: readonly string[] = [...invoked, ...Object.keys(operators)],
): Promise<Programs> => {
  const compiled = only.map(async (name): Promise<[string, Program]> => {
    const source = operators[name];
    const entry = source ? { source } : { file: `functions/${name}.ts` };
    return [name, programOf(await bundleScript(entry, plugins))];
  });
  return new Map(await Promise.all(compiled));
};

/** The scripts of the functions that cases invoke, by name, for a later version to run. */
export const freezePrograms = async (): Promise<Files> => {
  const scripts = invoked.map(async (name) => [
    name,
    await bundleScript({ file: `functions/${name}.ts` }),
  ]);
  return Object.fromEntries(await Promise.all(scripts));
};

/** The archive of the scripts in a release's folder. */
export const programsFile = 'programs.json.br';

/** The functions of a release, under the names that they have beside today's. */
export const releasedPrograms = (version: string): Programs => {
  const scripts = Object.entries(unpack(readFileSync(pathOf(version, programsFile))));
  return new Map(scripts.map(([name, script]) => [releasedName(name), programOf(script)]));
};

/** What a function of a release is called beside today's. */
export const releasedName = (functionName: string): string => `${functionName} of the release`;
