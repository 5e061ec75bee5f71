import { Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ApiGatewayLogs } from '../lib/api-gateway-logs.ts';
import { createApp } from '../lib/app.ts';
import { SettingsError } from '../lib/settings.ts';

try {
  const app = await createApp();
  const [stage] = app.node.children.filter(Stack.isStack);
  stage?.addStackDependency(new ApiGatewayLogs(app), 'Without the role its API cannot log.');
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  app.synth();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
