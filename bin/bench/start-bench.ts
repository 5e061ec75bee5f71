import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import { addStage, createApp, withoutValidation } from '../../lib/app.ts';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import {
  type Engine,
  type FunctionSettings,
  LambdaFunction,
  QueueService,
  startEngine,
} from '../../lib/local/local-engine.ts';
import { readSettings } from '../../lib/settings.ts';
import { environmentOf, readDeployed } from '../testing/read-deployed.ts';
import type { Subject } from './base.ts';

/** What is measured: the whole service on this machine, and its functions one by one. */
export interface Bench {
  readonly stack: Engine;
  /** What the template says of a function, with the addresses of this machine. */
  readonly settings: Of<FunctionSettings>;
  /** It in an instance of its own. */
  readonly lambda: Of<LambdaFunction>;
  /** Prints what is being measured. */
  readonly progress: (line: string) => void;
  readonly stop: () => Promise<void>;
}

/** @param environment variables over those it has */
type Of<Made> = (subject: Subject, environment?: Record<string, string>) => Made;

/**
 * As in production, where no source maps are read, and with API Gateway's own limits, so that the
 * stage's throttling does not measure itself.
 */
const ofStage = { sourceMaps: false, throttlingRate: 10_000, throttlingBurst: 5000 };

const isEventSource = (construct: IConstruct) =>
  construct instanceof CfnEventSourceMapping || construct.node.id.endsWith('MappingId');

/**
 * Starts the service, and points the store of this process, which makes tenants, at its table.
 * Nothing reads the stream and the queues, so that it disturbs no measurement.
 */
export const startBench = async (dynamodbUrl: string): Promise<Omit<Bench, 'progress'>> => {
  const app = createApp({ outdir: buildDirectory(), ...withoutValidation });
  await addStage(app, readSettings('dev', ofStage));
  for (const { node } of app.node.findAll().filter(isEventSource)) {
    node.scope?.node.tryRemoveChild(node.id);
  }
  const assemblyDirectory = app.synth().directory;
  const stack = await startEngine({ assemblyDirectory, dynamodbUrl, log: () => {} });
  const surroundings = { table: stack.outputs.TableName ?? '', endpoints: stack.endpoints };
  Object.assign(process.env, environmentOf(surroundings));
  // The URLs of the queues are those of the running ones.
  const deployed = await readDeployed(assemblyDirectory, new QueueService(), surroundings);
  const settings: Bench['settings'] = ({ functionName, codeDirectory }, environment) => ({
    ...deployed(functionName, environment),
    ...(codeDirectory && { codeDirectory }),
  });
  return {
    stack,
    settings,
    lambda: (subject, environment) =>
      new LambdaFunction({ ...settings(subject, environment), timeoutMs: 60_000 }, () => {}),
    stop: () => stack.stop(),
  };
};
