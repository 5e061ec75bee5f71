import { createApp } from '../lib/app.ts';
import { SettingsError } from '../lib/settings.ts';

try {
  const app = await createApp();
  app.synth();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
