import { randomUUID } from 'node:crypto';
import { afterAll } from 'vitest';
import {
  Clock,
  LambdaFunction,
  QueueService,
  queueUrl as queueUrlAt,
  startSqsServer,
} from '../../lib/local/local-engine.ts';
import { createTable } from './create-table.ts';
import { readDeployed } from './read-deployed.ts';
import { stack } from './stack.ts';
import { useStoreOf } from './store.ts';

export interface Deployed extends Pick<LambdaFunction, 'invoke'> {
  /** What it has printed, line by line. */
  readonly log: readonly string[];
}

/**
 * The functions as they are deployed, for one test file: the bundles and the environment are those
 * of the template, but the table and the queues belong to the file alone. So nothing reads the
 * stream or the queues but the test itself, and it sees what one function did and no other.
 */
export const useFunctions = async () => {
  const running: { stop: () => Promise<void> }[] = [];
  afterAll(() => Promise.all(running.map((each) => each.stop())));

  /** The queues of the template, which nobody consumes. */
  const queues = new QueueService({ path: ':memory:' });
  const sqs = await startSqsServer(queues);
  running.push(sqs);
  const settingsOf = await readDeployed(stack.assemblyDirectory, queues, sqs.url);

  /** The URL that a queue of this name has, whether or not there is one. */
  const queueUrl = (name: string) => queueUrlAt(sqs.url, name);

  /** What the functions take the time from. */
  const clock = new Clock();

  const table = `functions-${randomUUID()}`;
  await createTable(table);
  // The store of the test itself, with which tenants are made and outcomes read.
  useStoreOf({ table, endpoints: stack.endpoints });

  /** The function that is deployed from `functions/<name>.ts`, with variables over those it has. */
  const deployed = (name: string, environment: Record<string, string> = {}): Deployed => {
    const log: string[] = [];
    const settings = settingsOf(name);
    const addresses = {
      TABLE_NAME: table,
      AWS_ENDPOINT_URL_DYNAMODB: stack.endpoints.dynamodb,
      AWS_ENDPOINT_URL_SQS: sqs.url,
      AWS_ENDPOINT_URL_SESV2: stack.endpoints.ses,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: stack.endpoints.secretsmanager,
      AWS_ENDPOINT_URL_EVENTBRIDGE: stack.endpoints.eventbridge,
    };
    const lambda = new LambdaFunction(
      {
        ...settings,
        clock,
        environment: { ...settings.environment, ...addresses, ...environment },
      },
      (_, line) => log.push(line),
    );
    running.push(lambda);
    return { invoke: (event) => lambda.invoke(event), log };
  };

  return { deployed, queues, queueUrl, clock };
};
