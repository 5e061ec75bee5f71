// Synthesizes the template for `npm start`, into the directory that is its argument. It is a
// process of its own because the CDK and esbuild keep hundreds of megabytes that the run itself
// does not need.

import { keepCompiled } from '../command-line/keep-compiled.ts';

keepCompiled();

// The parent process has ended and no longer needs the template.
process.once('disconnect', () => process.exit(1));

try {
  // Side by side: esbuild bundles while Node reads the CDK.
  const bundles = import('../../lib/bundles/bundles.ts').then((made) => made.bundleFunctions());
  bundles.catch(() => {});
  const { addStage, createApp, withoutValidation } = await import('../../lib/stack/app.ts');
  const { readSettings } = await import('../../lib/stack/settings.ts');
  const [outdir = ''] = process.argv.slice(2);
  const app = createApp({ outdir, ...withoutValidation });
  await addStage(app, readSettings('dev', { keepData: false }), bundles);
  process.send?.('Synthesizing the template', () => {});
  app.synth();
} catch (error) {
  console.error((error as Error).stack);
  process.exitCode = 1;
}
process.removeAllListeners('disconnect');
process.disconnect?.();
