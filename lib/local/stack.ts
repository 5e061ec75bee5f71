import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type RequestLog, startApiGateway } from './api-gateway/api-gateway.ts';
import { readRestApi } from './api-gateway/rest-api.ts';
import { Clock } from './clock.ts';
import { startDynamodb } from './dynamodb/dynamodb.ts';
import { createTables } from './dynamodb/tables.ts';
import type { BatchLog } from './event-sources/event-source.ts';
import { startEventSources } from './event-sources/event-source-mappings.ts';
import { StreamCheckpoints } from './event-sources/stream-checkpoints.ts';
import { EventBus, type EventLog } from './events/event-bus.ts';
import { startEventsServer } from './events/events-server.ts';
import { readRules } from './events/rules.ts';
import { createFunctions } from './lambda/functions.ts';
import type { LambdaFunction } from './lambda/lambda-function.ts';
import { nameVersions } from './lambda/versions.ts';
import { startMailbox } from './mailbox.ts';
import { startSecretsServer } from './secrets-server.ts';
import { QueueService } from './sqs/queue-service.ts';
import { createQueues } from './sqs/queues.ts';
import { startSqsServer } from './sqs/sqs-server.ts';
import { Template } from './template/template.ts';

export interface LocalStackOptions {
  /** Where the CDK app was synthesized to, `cdk.out`. */
  assemblyDirectory: string;
  /** The port of the API. 0, the default, takes a free one. */
  port?: number | undefined;
  /** A DynamoDB that runs already, instead of one started here. */
  dynamodbUrl?: string | undefined;
  /** Keeps tables, queues and secrets there for the next start. */
  dataDirectory?: string | undefined;
  /** Variables for every function, over those of the template. */
  environment?: Readonly<Record<string, string>> | undefined;
  /** The clock of the queues and the functions. */
  clock?: Clock;
  /** One line for each request, each message and each event. */
  log: (line: string) => void;
  /** Called with each request and the body of its answer. */
  onAnswer?: ((request: RequestLog, body: string) => void) | undefined;
  /** Everything that functions print. */
  functionLog?: ((functionName: string, line: string) => void) | undefined;
}

export interface LocalStack {
  /** The base URL of the API. */
  url: string;
  /** A page with the mail that was sent; as JSON at `/store`. */
  mailbox: string;
  endpoints: {
    dynamodb: string;
    sqs: string;
    ses: string;
    secretsmanager: string;
    eventbridge: string;
  };
  /** The template's outputs. */
  outputs: Readonly<Record<string, string>>;
  /** What the template asks for and this machine does not do, one line each. */
  notHonoured: readonly string[];
  /** By logical id. */
  functions: ReadonlyMap<string, LambdaFunction>;
  queues: QueueService;
  stop(): Promise<void>;
}

/**
 * Runs a synthesized stack on this machine; everything listens on 127.0.0.1.
 * When something cannot start, what has started is stopped and the error is thrown.
 */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const running: (() => unknown)[] = [];
  async function stop(): Promise<void> {
    for (let last = running.pop(); last !== undefined; last = running.pop()) await last();
  }
  try {
    return { ...(await start(options, (stopPart) => running.push(stopPart))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts one part after another. They are stopped in the reverse order. */
async function start(
  { assemblyDirectory, port = 0, log, ...options }: LocalStackOptions,
  onStop: (stopPart: () => unknown) => void,
): Promise<Omit<LocalStack, 'stop'>> {
  const { dataDirectory, clock = new Clock(), functionLog = () => {} } = options;
  if (dataDirectory !== undefined) mkdirSync(dataDirectory, { recursive: true });
  const dataPath = (name: string) => dataDirectory && join(dataDirectory, name);
  const template = new Template(assemblyDirectory);
  const logByLogicalId = (line: string) => log(line.replaceAll(`${template.stackName}-`, ''));

  const queues = new QueueService({
    path: dataPath('queues.sqlite') ?? ':memory:',
    now: () => clock.now(),
  });
  onStop(() => queues.close());
  const sqs = await startSqsServer(queues, 0);
  onStop(sqs.stop);
  createQueues(template, queues, sqs.url);
  nameVersions(template);

  const bus = new EventBus({
    rules: readRules(template, queues),
    queues,
    clock,
    onEvent: (event) => logByLogicalId(eventLine(event)),
  });
  const events = await startEventsServer(bus);
  onStop(events.stop);

  const mailbox = await startMailbox();
  onStop(mailbox.stop);
  const secrets = await startSecretsServer(template, dataPath('secrets.json'));
  onStop(secrets.stop);

  // The API listens before the functions exist, because their environment may hold its URL. A request
  // that comes so early waits for them.
  const created = Promise.withResolvers<Map<string, LambdaFunction>>();
  const restApi = readRestApi(template);
  const api = await startApiGateway({
    restApi,
    port,
    invoke: async (name, event) => {
      const target = (await created.promise).get(name);
      if (target === undefined) throw new Error(`${name} is not in the template`);
      return target.invoke(event);
    },
    onRequest: (request, body) => {
      log(requestLine(request));
      options.onAnswer?.(request, body);
    },
  });
  onStop(api.stop);
  template.rewrite(restApi.awsUrl, api.url);

  const dynamodbUrl = options.dynamodbUrl ?? (await startOwnDynamodb(dataPath('dynamodb'), onStop));
  await createTables(template, dynamodbUrl);

  const endpoints = {
    dynamodb: dynamodbUrl,
    sqs: sqs.url,
    ses: mailbox.url,
    secretsmanager: secrets.url,
    eventbridge: events.url,
  };
  const functions = createFunctions(template, {
    environment: { ...endpointVariables(endpoints), ...options.environment },
    onLog: functionLog,
    clock,
  });
  created.resolve(new Map([...functions.values()].map((each) => [each.name, each])));

  const checkpoints = new StreamCheckpoints(dataPath('stream-checkpoints.sqlite') ?? ':memory:');
  onStop(() => checkpoints.close());
  const eventSources = startEventSources(template, {
    functions: [...functions.values()],
    queues,
    dynamodbUrl,
    checkpoints,
    onBatch: (batch) => {
      for (const line of batchLines(batch)) logByLogicalId(line);
    },
  });
  // Together, because a source waits for its last batch and the function decides how long that takes.
  onStop(() => Promise.all([...eventSources, ...functions.values()].map((part) => part.stop())));

  return {
    url: api.url,
    mailbox: mailbox.url,
    endpoints,
    outputs: template.outputs(),
    notHonoured: template.notHonoured(),
    functions,
    queues,
  };
}

async function startOwnDynamodb(
  directory: string | undefined,
  onStop: (stopPart: () => unknown) => void,
): Promise<string> {
  if (directory !== undefined) mkdirSync(directory, { recursive: true });
  const dynamodb = await startDynamodb(directory === undefined ? {} : { directory });
  onStop(dynamodb.stop);
  return dynamodb.url;
}

/** Where the SDKs look for a service's endpoint ("Service-specific endpoints", AWS SDKs and Tools). */
function endpointVariables(endpoints: LocalStack['endpoints']): Record<string, string> {
  return {
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_SESV2: endpoints.ses,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsmanager,
    AWS_ENDPOINT_URL_EVENTBRIDGE: endpoints.eventbridge,
  };
}

function requestLine({ method, path, status, durationMs, requestId, error }: RequestLog): string {
  return `${method} ${path} ${status} ${durationMs} ms ${requestId}${reason(error)}`;
}

function eventLine({ source, detailType, queues, id }: EventLog): string {
  const target = queues.length > 0 ? queues.join(', ') : 'no rule wants it';
  return `${source} "${detailType}" > ${target} ${id}`;
}

function batchLines(batch: BatchLog): string[] {
  const { source, functionName, messageIds, failed, givenUp, durationMs, error } = batch;
  const head = `${source} > ${functionName}`;
  if (messageIds.length === 0) return [head + reason(error)];
  return messageIds.map((id) => {
    const ended = givenUp ? 'given up' : 'done';
    const outcome = failed.includes(id) ? 'failed, to be tried again' : ended;
    return `${head} ${outcome} ${durationMs} ms ${id}${reason(error)}`;
  });
}

/** Errors may have several lines; a log line has one. */
function reason(error: string | undefined): string {
  return error === undefined ? '' : ` (${error.replaceAll(/\s+/g, ' ')})`;
}
