import type { Plugin } from 'esbuild';
import { createApp, withoutValidation } from '../../lib/app.ts';
import { bundleFunctions } from '../../lib/bundles.ts';
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
  const leftOut = takeOutMissing(app);
  const { directory, stacks } = app.synth();
  return { stackName: stacks[0]?.stackName ?? '', directory, leftOut };
};
