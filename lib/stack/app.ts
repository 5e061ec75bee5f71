import { App, type AppProps } from 'aws-cdk-lib';
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api';
import { bundleFunctions } from '../bundles/bundles.ts';
import { apiGatewayLogsOf } from './api-gateway-logs.ts';
import { readStages, type Settings } from './settings.ts';
import { PaymentsStack } from './stack.ts';
import type { Stages } from './stage-settings.ts';

/** For local runs: validating the template takes longer than the rest of the synthesis. */
export const withoutValidation: AppProps = { builtinCloudFormationValidation: false };

/**
 * The CDK app, without a stack.
 *
 * The feature flags are set here and not in cdk.json, which only the CLI reads: the local run must
 * execute the template that is deployed.
 */
export const createApp = (props: AppProps = {}): App =>
  new App({ ...props, context: CURRENTLY_RECOMMENDED_FLAGS });

/**
 * Adds the stack of each stage, and those that they depend on.
 *
 * @throws SettingsError a sentence about what is wrong
 */
export const addStages = async (app: App, stages: Stages): Promise<void> => {
  const all = readStages(stages);
  const bundles = bundleFunctions();
  for (const settings of all) {
    const stage = await addStage(app, settings, bundles);
    const logs = apiGatewayLogsOf(app, settings);
    stage.addStackDependency(logs, 'Without the role its API cannot log.');
  }
};

/**
 * Adds the stack of a stage, after which the app is ready for `synth()`.
 *
 * @param bundles for a run that begins to bundle earlier, or bundles something else
 */
export const addStage = async (
  app: App,
  settings: Settings,
  bundles = bundleFunctions(),
): Promise<PaymentsStack> =>
  new PaymentsStack(app, `WorkforcePayments-${settings.stage}`, settings, await bundles);
