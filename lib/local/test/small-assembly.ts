import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { temporaryDirectory } from './temporary-directory.ts';

/** Synthesizes a stack named `Small` and returns the assembly's directory. */
export const synthesize = (build: (stack: Stack) => void): string => {
  const app = new App({
    outdir: temporaryDirectory(),
    analyticsReporting: false,
    stackTraces: false,
    // Takes seconds, and is about what AWS would say of the template.
    builtinCloudFormationValidation: false,
  });
  build(new Stack(app, 'Small'));
  return app.synth().directory;
};

/** Writes an assembly around a template, without the CDK. */
export const assemblyOf = (template: object): string => {
  const directory = temporaryDirectory();
  const write = (name: string, content: object) =>
    writeFileSync(join(directory, name), JSON.stringify(content));
  write('manifest.json', {
    artifacts: {
      Small: {
        type: 'aws:cloudformation:stack',
        properties: { templateFile: 'Small.template.json' },
      },
    },
  });
  write('Small.template.json', template);
  return directory;
};

/** A function of the stack from the text of a module that exports `handler`. */
export const functionOf = (
  stack: Stack,
  id: string,
  source: string,
  environment: Record<string, string> = {},
): LambdaFunction => {
  const directory = join(temporaryDirectory(), id);
  mkdirSync(directory);
  writeFileSync(join(directory, 'index.mjs'), source);
  return new LambdaFunction(stack, id, {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    // A start that loads a whole SDK is slow on a busy machine; the default is 3 s.
    timeout: Duration.seconds(30),
    code: Code.fromAsset(directory),
    environment,
  });
};
