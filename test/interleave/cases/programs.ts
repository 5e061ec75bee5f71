import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { buildDirectory } from '../../../lib/bundles/build-directory.ts';
import { bundling, functionNames } from '../../../lib/bundles/bundles.ts';
import { compile, nameBeside, type Program, type Programs } from '../engine/instance.ts';
import { variables } from './function-variables.ts';

/** What operators do, each as a program of its own. */
const operators: Readonly<Record<string, string>> = {
  revoke: `
    import { revokeToken } from './bin/admin/table/tokens.ts';
    export const handler = ({ key, act }) => revokeToken(key, act);
  `,
  redact: `
    import { redacted } from './functions/domain/redaction.ts';
    import { rewrite } from './bin/admin/table/write.ts';
    import { readItem } from './functions/store/read.ts';
    export const handler = async ({ key }) => {
      const item = await readItem(key);
      return rewrite(item, redacted(item));
    };
  `,
};

/** All functions and what operators do, or only these, as programs. @param plugins change them */
export const compileFunctions = async (
  plugins: Plugin[] = [],
  only: readonly string[] = [...functionNames, ...Object.keys(operators)],
): Promise<Programs> => {
  const compiled = only.map(async (name): Promise<[string, Program]> => {
    const source = operators[name];
    const entry = source ? { source } : { file: `functions/${name}.ts` };
    return [name, await compile(entry, variables, plugins)];
  });
  return new Map(await Promise.all(compiled));
};

/**
 * The functions of a commit, under the names that they have beside today's, with the packages that
 * are installed. Those that it lacks are skipped.
 */
export const compileFunctionsOf = async (commit: string): Promise<Programs> => {
  const archive = execFileSync('git', ['archive', '--format=tar', commit, 'functions'], {
    cwd: bundling.absWorkingDir,
    maxBuffer: 100_000_000,
  });
  // In the project, where its packages are found.
  const directory = buildDirectory();
  execFileSync('tar', ['--extract', '--directory', directory], { input: archive });
  const compiled = functionNames
    .map((name) => ({ name, file: join(directory, 'functions', `${name}.ts`) }))
    .filter(({ file }) => existsSync(file))
    .map(
      async ({ name, file }): Promise<[string, Program]> => [
        nameBeside(name),
        await compile({ file }, variables),
      ],
    );
  return new Map(await Promise.all(compiled));
};
