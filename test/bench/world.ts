import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { localEnvironment } from '../../bin/local-run/local-environment.ts';
import { dynamodb, table } from '../../functions/store/client.ts';
import { createApp, withoutValidation } from '../../lib/app.ts';
import { buildDirectory } from '../../lib/build-directory.ts';
import {
  type BusEvent,
  LambdaFunction,
  type LocalStack,
  QueueService,
  readFunctions,
  startLocalStack,
} from '../../lib/local/local-engine.ts';

/** A function as it is deployed. */
export interface Deployed {
  readonly directory: string;
  /** What the template says, with the addresses of this machine. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What is measured: the whole service on this machine, and its functions one by one. */
export interface World {
  readonly stack: LocalStack;
  /** What the buses have accepted. */
  readonly events: readonly BusEvent[];
  readonly deployed: (functionName: string) => Deployed;
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
  const functions = await readDeployed(assemblyDirectory, endpoints.sqs, environment);
  const deployed = (functionName: string) => {
    const found = functions.get(functionName);
    if (!found) throw new Error(`The template has no function ${functionName}.`);
    return found;
  };
  return {
    stack,
    events,
    deployed,
    lambda: (name, more = {}) => {
      const { directory, environment } = deployed(name);
      return new LambdaFunction(
        {
          name,
          codeDirectory: directory,
          handler: 'index.handler',
          timeoutMs: 60_000,
          memoryMb: 1024,
          environment: { ...environment, ...more },
        },
        () => {},
      );
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

/** The functions by name. The URLs of the queues are those of the running ones. */
const readDeployed = async (
  assemblyDirectory: string,
  sqsUrl: string,
  environment: Record<string, string>,
): Promise<Map<string, Deployed>> => {
  const queues = new QueueService({ path: ':memory:' });
  const functions = await readFunctions(assemblyDirectory, queues, sqsUrl);
  return new Map(
    functions.map((settings) => [
      settings.environment.POWERTOOLS_SERVICE_NAME ?? '',
      {
        directory: settings.codeDirectory,
        environment: { ...settings.environment, ...environment },
      },
    ]),
  );
};
