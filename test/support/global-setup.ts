import type { TestProject } from 'vitest/node';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { startEngine } from '../../lib/local/local-engine.ts';
import { addStage, createApp, withoutValidation } from '../../lib/stack/app.ts';
import { readSettings } from '../../lib/stack/settings.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly stack: RunningStack;
  }
}

/** The service that every test shares; each test makes tenants of its own in it. */
export interface RunningStack {
  readonly url: string;
  readonly mailbox: string;
  readonly table: string;
  readonly assemblyDirectory: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly endpoints: Readonly<Record<'dynamodb' | 'sqs' | 'ses' | 'eventbridge', string>>;
}

/** Starts what `npm start` starts, once for all projects of the run. */
export default async function setup({ vitest }: TestProject) {
  const project = vitest.getRootProject();
  if ('stack' in project.getProvidedContext()) return;
  const app = createApp({ outdir: buildDirectory(), ...withoutValidation });
  await addStage(app, readSettings('dev', { keepData: false }));
  const assembly = app.synth();
  const stack = await startEngine({ assemblyDirectory: assembly.directory, log: () => {} });
  const { url = '', mailbox, endpoints, outputs } = stack;
  project.provide('stack', {
    url,
    mailbox,
    endpoints,
    outputs,
    table: outputs.TableName ?? '',
    assemblyDirectory: assembly.directory,
  });
  return () => stack.stop();
}
