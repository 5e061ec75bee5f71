import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { localEnvironment } from '../../bin/local-run/local-environment.ts';
import { dynamodb, table } from '../../functions/store/client.ts';
import { createApp, withoutValidation } from '../../lib/app.ts';
import { buildDirectory } from '../../lib/build-directory.ts';
import {
  type BusEvent,
  type FunctionSettings,
  LambdaFunction,
  type LocalStack,
  QueueService,
  startLocalStack,
} from '../../lib/local/local-engine.ts';
import { readDeployed } from '../support/read-deployed.ts';

/** What is measured: the whole service on this machine, and its functions one by one. */
export interface World {
  readonly stack: LocalStack;
  /** What the buses have accepted. */
  readonly events: readonly BusEvent[];
  /** What the template says of a function, with the addresses of this machine. */
  readonly deployed: (functionName: string) => FunctionSettings;
  /** The function in an instance of its own, with variables over those it has. */
  readonly lambda: (functionName: string, environment?: Record<string, string>) => LambdaFunction;
  /** How often to repeat what is usually repeated this often. */
  readonly runs: (usual: number) => number;
  /** Says what is being measured. */
  readonly progress: (line: string) => void;
  readonly stop: () => Promise<void>;
}

export interface WorldOptions extends Pick<World, 'runs' | 'progress'> {
  /** A DynamoDB Local, which outlives this world and is warm for the next one. */
  readonly dynamodbUrl: string;
  /** Whether anything reads the stream and the queues. At rest, nothing disturbs a measurement. */
  readonly consuming: boolean;
}

/**
 * As in production, where no source maps are read, and with API Gateway's own limits, so that the
 * stage's throttling does not measure itself.
 */
const context = { sourceMaps: false, throttlingRate: 10_000, throttlingBurst: 5000 };

/** Starts the service, and points the store of this process, which makes tenants, at its table. */
export const startWorld = async ({
  dynamodbUrl,
  consuming,
  runs,
  progress,
}: WorldOptions): Promise<World> => {
  const app = await createApp({ outdir: buildDirectory(), context, ...withoutValidation });
  for (const node of app.node.findAll()) {
    if (node instanceof CfnEventSourceMapping) node.enabled = consuming;
  }
  const assemblyDirectory = app.synth().directory;
  const events: BusEvent[] = [];
  const stack = await startLocalStack({
    assemblyDirectory,
    dynamodbUrl,
    log: () => {},
    onEvent: (event) => events.push(event),
  });
  const { endpoints, outputs } = stack;
  const environment = {
    ...localEnvironment({ table: outputs.TableName ?? '', endpoints }),
    AWS_ENDPOINT_URL_SESV2: endpoints.ses,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsmanager,
  };
  Object.assign(process.env, environment);
  // The URLs of the queues are those of the running ones.
  const queues = new QueueService({ path: ':memory:' });
  const settingsOf = await readDeployed(assemblyDirectory, queues, endpoints.sqs);
  const deployed = (functionName: string) => {
    const settings = settingsOf(functionName);
    return { ...settings, environment: { ...settings.environment, ...environment } };
  };
  return {
    stack,
    events,
    deployed,
    lambda: (name, more = {}) => {
      const settings = deployed(name);
      const environment = { ...settings.environment, ...more };
      return new LambdaFunction({ ...settings, timeoutMs: 60_000, environment }, () => {});
    },
    runs,
    progress,
    stop: async () => {
      await stack.stop();
      // The next world has the same names, and shall not find what this one left.
      await dynamodb.send(new DeleteTableCommand({ TableName: table() }));
    },
  };
};
