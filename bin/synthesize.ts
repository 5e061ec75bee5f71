// Synthesizes the template for `npm start`, into the directory that is its argument. It is a process of
// its own because the CDK and esbuild keep hundreds of megabytes that the run itself does not need.

// Who started it has ended: nobody waits for the template.
process.once('disconnect', () => process.exit(1));

/** What it says of its progress, or why it fails. */
export type SynthesisMessage = { readonly step: string } | { readonly error: string };

const tell = (message: SynthesisMessage) => process.send?.(message);

try {
  const [outdir = ''] = process.argv.slice(2);
  const { bundleFunctions } = await import('../lib/bundles.ts');
  // Side by side: esbuild bundles while Node reads the CDK.
  const bundles = bundleFunctions();
  bundles.catch(() => {});
  const { createApp, withoutValidation } = await import('../lib/app.ts');
  const app = await createApp({ outdir, ...withoutValidation }, bundles);
  tell({ step: 'Synthesizing the template' });
  app.synth();
} catch (error) {
  const { SettingsError } = await import('../lib/settings.ts');
  const { message, stack = message } = error as Error;
  tell({ error: error instanceof SettingsError ? message : stack });
  process.exitCode = 1;
}
process.removeAllListeners('disconnect');
process.disconnect?.();
