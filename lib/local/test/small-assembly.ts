import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { CfnGatewayResponse, CfnRestApi, CfnStage } from 'aws-cdk-lib/aws-apigateway';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { loadTemplate } from '../cloudformation/template.ts';
import { TemplateReader } from '../cloudformation/template-reader.ts';
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

/** What the gateway answers by itself, with its status. */
const answers = Object.entries({
  ACCESS_DENIED: '403',
  AUTHORIZER_CONFIGURATION_ERROR: '500',
  AUTHORIZER_FAILURE: '503',
  DEFAULT_5XX: '500',
  INTEGRATION_TIMEOUT: '504',
  MISSING_AUTHENTICATION_TOKEN: '404',
  REQUEST_TOO_LARGE: '413',
  THROTTLED: '429',
  UNAUTHORIZED: '401',
  UNSUPPORTED_MEDIA_TYPE: '415',
});
const answerOf = (code: string) => ({
  responseParameters: {
    'gatewayresponse.header.Request-Id': 'context.requestId',
    'gatewayresponse.header.Content-Type': "'application/problem+json'",
  },
  responseTemplates: { 'application/json': JSON.stringify({ code }) },
});

/** The API of a template that has no other. */
const api = {
  Api: { Type: 'AWS::ApiGateway::RestApi' },
  Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { StageName: 'dev' } },
  ...Object.fromEntries(
    answers.map(([ResponseType, StatusCode]) => {
      const { responseTemplates: ResponseTemplates } = answerOf(ResponseType);
      const Properties = { ResponseType, StatusCode, ResponseTemplates };
      return [ResponseType, { Type: 'AWS::ApiGateway::GatewayResponse', Properties }];
    }),
  ),
};

/** The same answers of the API of a stack of the CDK. */
export const addAnswers = (stack: Stack): void => {
  for (const [responseType, statusCode] of answers) {
    const response = { restApiId: 'api', responseType, statusCode, ...answerOf(responseType) };
    new CfnGatewayResponse(stack, responseType, response);
  }
};

/** A whole API in a stack of the CDK, whose RestApi needs a method. */
export const addApi = (stack: Stack): void => {
  new CfnRestApi(stack, 'Api');
  new CfnStage(stack, 'Stage', { restApiId: 'api', stageName: 'dev' });
  addAnswers(stack);
};

/** A reader of a template with these resources and an API, beside a server of queues. */
export const readerOf = (Resources: object, others: object = {}): TemplateReader =>
  readerIn(assemblyOf({ Resources: { ...api, ...Resources }, ...others }));

/** A reader of the template in an assembly. */
export const readerIn = (assemblyDirectory: string): TemplateReader =>
  new TemplateReader(loadTemplate(assemblyDirectory), {
    sqsUrl: 'http://sqs',
    streamArns: new Map(),
  });

/** Writes an assembly around a template, without the CDK. */
const assemblyOf = (template: object): string => {
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
