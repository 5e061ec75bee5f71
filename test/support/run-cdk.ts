import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { childEnvironment } from './child-environment.ts';
import { temporaryDirectory } from './temporary-directory.ts';

type Context = Readonly<Record<string, unknown>>;

/** The context of each file from which the CDK reads some. */
export type ContextFiles = Readonly<
  Partial<Record<'cdk.json' | 'cdk.context.json' | '~/.cdk.json', Context>>
>;

/** Runs the CDK's command line on the app, in a directory with these files. */
export const runCdk = (files: ContextFiles, ...args: string[]) => {
  const [directory, HOME] = [temporaryDirectory(), temporaryDirectory()];
  for (const [file, context] of Object.entries({ 'cdk.json': {}, ...files })) {
    const path = file.startsWith('~') ? join(HOME, '.cdk.json') : join(directory, file);
    const app = `"${process.execPath}" "${resolve('bin/app.ts')}"`;
    const content = file === 'cdk.context.json' ? context : { app, context };
    writeFileSync(path, JSON.stringify(content));
  }
  const cdk = resolve('node_modules/aws-cdk/bin/cdk');
  const run = spawnSync(process.execPath, [cdk, ...args], {
    cwd: directory,
    env: { ...childEnvironment(), HOME, CDK_DISABLE_CLI_TELEMETRY: 'true' },
    encoding: 'utf8',
  });
  return { ...run, directory };
};
