import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ApiGatewayLogs } from '../lib/stack/api-gateway-logs.ts';
import { addStage, createApp } from '../lib/stack/app.ts';
import { readContext } from '../lib/stack/context.ts';
import { SettingsError } from '../lib/stack/settings.ts';

try {
  const app = createApp();
  const stage = await addStage(app, readContext(app.node));
  const logs = new ApiGatewayLogs(app, { account: stage.account, region: stage.region });
  stage.addStackDependency(logs, 'Without the role its API cannot log.');
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  app.synth();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
