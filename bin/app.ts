import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { addStages, createApp } from '../lib/stack/app.ts';
import { SettingsError } from '../lib/stack/settings.ts';
import { stages } from './stages.ts';

try {
  const app = createApp();
  await addStages(app, stages);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  app.synth();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
