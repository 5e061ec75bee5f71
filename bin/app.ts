import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { addStages, createApp } from '../lib/stack/app.ts';
import { SettingsError } from '../lib/stack/settings.ts';
import { AdminError } from './command-line/admin-error.ts';
import { importStages } from './command-line/import-stages.ts';

try {
  const app = createApp();
  await addStages(app, await importStages());
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  app.synth();
} catch (error) {
  if (!(error instanceof SettingsError || error instanceof AdminError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
