import { App, type Stack } from 'aws-cdk-lib';
import type { SynthesizedTemplate } from '../../../test/support/read-template.ts';
import { buildDirectory } from '../../bundles/build-directory.ts';
import { PayerStack } from '../payer-stack.ts';
import { WebhookStack } from '../webhook-stack.ts';

/** A stack and its template, without the function's code: bundling it would print. */
const synthesize = (of: (app: App) => Stack) => {
  const app = new App({
    outdir: buildDirectory(),
    builtinCloudFormationValidation: false,
    context: { 'aws:cdk:bundling-stacks': [] },
  });
  const stack = of(app);
  const template: SynthesizedTemplate = app.synth().getStackByName(stack.stackName).template;
  return { stack, template };
};

export const payer = synthesize((app) => new PayerStack(app, 'Payer'));
export const webhook = synthesize((app) => new WebhookStack(app, 'Webhook'));
