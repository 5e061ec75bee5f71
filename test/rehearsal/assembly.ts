import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Plugin } from 'esbuild';
import { createApp, withoutValidation } from '../../lib/app.ts';
import { bundleFunctions } from '../../lib/bundles/bundles.ts';
import { takeOutMissing } from './shortcomings.ts';

/** A synthesized stage. */
export interface Assembly {
  readonly stackName: string;
  readonly directory: string;
  /** What of the template is left out, a sentence each. */
  readonly leftOut: readonly string[];
}

/** Puts a line into every bundle, as the next version of the functions. */
const nextVersion: Plugin = {
  name: 'next-version',
  setup: ({ initialOptions }) => {
    initialOptions.banner = { js: '// The next version of the rehearsal' };
  },
};

/** Synthesizes a stage as `cdk deploy` would, but without what MiniStack cannot create. */
export const synthesizeStage = async (
  context: Readonly<Record<string, string>>,
  outdir: string,
  { changed = false } = {},
): Promise<Assembly> => {
  const bundles = bundleFunctions(changed ? [nextVersion] : []);
  const app = await createApp({ outdir, context, ...withoutValidation }, bundles);
  return deployable(app.synth().directory);
};

/** Takes out of a synthesized stage what MiniStack cannot create. */
export const deployable = (directory: string): Assembly => {
  const ending = '.template.json';
  const file = readdirSync(directory).find((name) => name.endsWith(ending)) ?? '';
  const path = join(directory, file);
  const { template, leftOut } = takeOutMissing(JSON.parse(readFileSync(path, 'utf8')));
  writeFileSync(path, JSON.stringify(template));
  return { stackName: basename(file, ending), directory, leftOut };
};
