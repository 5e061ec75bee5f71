// Synthesizes the template for `npm start`, into the directory that is its first argument. The
// second one names the directories of bundles that are made already, as JSON. It is a process of
// its own because the CDK and esbuild keep hundreds of megabytes that the run itself does not need.

import type { Bundles } from '../../lib/bundles/bundles.ts';
import { keepCompiled } from '../keep-compiled.ts';

keepCompiled();

// The parent process has ended and no longer needs the template.
process.once('disconnect', () => process.exit(1));

/** Its progress, or the reason of its failure. */
export type SynthesisMessage = { readonly step: string } | { readonly error: string };

const makeBundles = async (made: string | undefined): Promise<Bundles> => {
  const { bundleFunctions, bundlesIn } = await import('../../lib/bundles/bundles.ts');
  return made === undefined ? bundleFunctions() : bundlesIn(JSON.parse(made));
};

/** A parent process that has ended gets no message. */
const report = (message: SynthesisMessage) => process.send?.(message, () => {});

try {
  const [outdir = '', made] = process.argv.slice(2);
  // Side by side: esbuild bundles while Node reads the CDK.
  const bundles = makeBundles(made);
  bundles.catch(() => {});
  const { createApp, withoutValidation } = await import('../../lib/app.ts');
  const app = await createApp({ outdir, ...withoutValidation }, bundles);
  report({ step: 'Synthesizing the template' });
  app.synth();
} catch (error) {
  const { SettingsError } = await import('../../lib/settings.ts');
  const { message, stack = message } = error as Error;
  report({ error: error instanceof SettingsError ? message : stack });
  process.exitCode = 1;
}
process.removeAllListeners('disconnect');
process.disconnect?.();
