import { App, type AppProps } from 'aws-cdk-lib';
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api';
import { bundleFunctions } from '../bundles/bundles.ts';
import type { Settings } from './settings.ts';
import { PaymentsStack } from './stack.ts';

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
