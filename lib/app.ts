import { App, type AppProps } from 'aws-cdk-lib';
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api';
import { type Bundles, bundleFunctions } from './bundles/bundles.ts';
import { readSettings } from './settings.ts';
import { PaymentsStack } from './stack.ts';

/** For local runs: validating the template takes longer than the rest of the synthesis. */
export const withoutValidation: AppProps = { builtinCloudFormationValidation: false };

/**
 * The CDK app with one stage's stack, ready for `synth()`.
 *
 * The feature flags are set here and not in cdk.json, which only the CLI reads: the local run must
 * execute the template that is deployed.
 *
 * @param bundles for a run that begins to bundle earlier, or bundles something else
 */
export const createApp = async (
  { context, ...props }: AppProps = {},
  bundles?: Promise<Bundles>,
): Promise<App> => {
  const app = new App({ ...props, context: { ...CURRENTLY_RECOMMENDED_FLAGS, ...context } });
  const settings = readSettings(app.node);
  new PaymentsStack(
    app,
    `WorkforcePayments-${settings.stage}`,
    settings,
    await (bundles ?? bundleFunctions()),
  );
  return app;
};
