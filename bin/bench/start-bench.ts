import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { LambdaFunction, QueueService, startEngine } from '../../lib/local/local-engine.ts';
import { addStage, createApp, withoutValidation } from '../../lib/stack/app.ts';
import { readSettings } from '../../lib/stack/settings.ts';
import { readDeployed } from '../../test/support/read-deployed.ts';
import { localEnvironment } from '../stack-file/local-environment.ts';
import type { Subject } from './base.ts';

/**
 * As in production, where no source maps are read, and with API Gateway's own limits, so that the
 * stage's throttling does not measure itself.
 */
const ofStage = {
  keepData: false,
  sourceMaps: false,
  throttlingRate: 10_000,
  throttlingBurst: 5000,
};

const isEventSource = (construct: IConstruct) =>
  construct instanceof CfnEventSourceMapping || construct.node.id.endsWith('MappingId');

/** What is measured: the whole service on this machine, and its functions one by one. */
export type Bench = Awaited<ReturnType<typeof startBench>>;

/**
 * Starts the service, and points the store of this process, which makes tenants, at its table.
 * Nothing reads the stream and the queues, so that it disturbs no measurement.
 *
 * @param progress prints what is being measured
 */
export const startBench = async (dynamodbUrl: string, progress: (line: string) => void) => {
  const app = createApp({ outdir: buildDirectory(), ...withoutValidation });
  await addStage(app, readSettings('dev', ofStage));
  for (const { node } of app.node.findAll().filter(isEventSource)) {
    node.scope?.node.tryRemoveChild(node.id);
  }
  const assemblyDirectory = app.synth().directory;
  const stack = await startEngine({ assemblyDirectory, dynamodbUrl, log: () => {} });
  const surroundings = { table: stack.outputs.TableName ?? '', endpoints: stack.endpoints };
  Object.assign(process.env, localEnvironment(surroundings));
  // The URLs of the queues are those of the running ones.
  const deployed = await readDeployed(assemblyDirectory, new QueueService(), surroundings);
  /** What the template says of a function, with variables over those it has. */
  const settings = (
    { functionName, codeDirectory }: Subject,
    environment?: Record<string, string>,
  ) => ({
    ...deployed(functionName, environment),
    ...(codeDirectory && { codeDirectory }),
  });
  /** It in an instance of its own. */
  const lambda = (...given: Parameters<typeof settings>) =>
    new LambdaFunction({ ...settings(...given), timeoutMs: 60_000 }, () => {});
  return { stack, settings, lambda, progress };
};
