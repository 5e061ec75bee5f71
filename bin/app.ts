import { Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ApiGatewayLogs } from '../lib/api-gateway-logs.ts';
import { createApp } from '../lib/app.ts';
import { checkContextFiles } from '../lib/context-files.ts';
import { SettingsError } from '../lib/settings.ts';

try {
  checkContextFiles();
  const app = await createApp();
  for (const stage of app.node.children.filter(Stack.isStack)) {
    const logs = new ApiGatewayLogs(app, { account: stage.account, region: stage.region });
    stage.addStackDependency(logs, 'Without the role its API cannot log.');
  }
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  app.synth();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
