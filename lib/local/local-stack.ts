import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type RequestLog, startApiGateway } from './api-gateway/api-gateway.ts';
import { readRestApi } from './api-gateway/rest-api.ts';
import { Clock } from './clock.ts';
import type { Template } from './cloudformation/template.ts';
import { Deployment } from './deployment.ts';
import { type DynamodbLocal, startDynamodb } from './dynamodb/dynamodb.ts';
import { createTables } from './dynamodb/tables.ts';
import { startEventsServer } from './event-bridge/event-bridge-server.ts';
import { EventBuses } from './event-bridge/event-buses.ts';
import { type BusEvent, EventStore } from './event-bridge/event-store.ts';
import { readEvents } from './event-bridge/read-event-bridge.ts';
import type { EventSourceOptions } from './lambda/event-source-mappings.ts';
import type { FleetOptions } from './lambda/fleet.ts';
import { Functions, unlimitedMs } from './lambda/functions.ts';
import type { LambdaFunction } from './lambda/lambda-function.ts';
import { StreamCheckpoints } from './lambda/stream-checkpoints.ts';
import { nameVersions } from './lambda/versions.ts';
import { type Log, LogLines } from './log-lines.ts';
import { runnableTemplate } from './runnable-template.ts';
import { startSecretsServer } from './secrets-manager/secrets-manager-server.ts';
import { readEventDestinations } from './ses/event-destinations.ts';
import { type AcceptedMail, startMailbox } from './ses/mailbox.ts';
import { simulatorEvents } from './ses/mailbox-simulator.ts';
import { QueueService } from './sqs/queue-service.ts';
import { createQueues } from './sqs/queues.ts';
import { startSqsServer } from './sqs/sqs-server.ts';

/** How a stack runs locally. */
export interface LocalStackOptions {
  /**
   * Where the CDK app is synthesized to, `cdk.out`. What can start without it does so meanwhile.
   */
  readonly assemblyDirectory: string | Promise<string>;
  /** The port of the API. 0, the default, takes a free one. */
  readonly port?: number | undefined;
  /** Called when that port is taken; the API then takes a free one. Without it, the start fails. */
  readonly onPortTaken?: ((port: number) => void) | undefined;
  /** A DynamoDB that runs already, instead of one started here. */
  readonly dynamodbUrl?: string | undefined;
  /** A DynamoDB Local that is starting; it is stopped with everything else. */
  readonly dynamodb?: Promise<DynamodbLocal> | undefined;
  /** Keeps tables, queues and secrets there for the next start. */
  readonly dataDirectory?: string | undefined;
  /** Variables for every function, over those of the template. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** The clock of the queues and the functions. */
  readonly clock?: Clock;
  /**
   * How many instances the functions may have together; what one small machine serves unless given.
   */
  readonly fleet?: FleetOptions;
  /** After how long a message that failed is tried again; its visibility timeout unless given. */
  readonly retryDelayMs?: number | undefined;
  /**
   * Whether a debugger may hold functions: then neither Lambda nor API Gateway ends what takes
   * long.
   */
  readonly isDebugged?: boolean | undefined;
  /** Puts data into the tables before the API answers; until then its answer is 503. */
  readonly prepare?: (stack: Pick<LocalStack, 'endpoints' | 'outputs'>) => Promise<void>;
  /** Called with a sentence when the database has ended and does not come back. */
  readonly onLost?: (reason: string) => void;
  /** One line for each request, each message and each event, and how it ended. */
  readonly log: Log;
  /** Called with each request and the body of its answer. */
  readonly onAnswer?: ((request: RequestLog, body: string) => void) | undefined;
  /** Called with each event that a bus has accepted. */
  readonly onEvent?: ((event: BusEvent) => void) | undefined;
  /** Everything that functions print. */
  readonly functionLog?: ((functionName: string, line: string) => void) | undefined;
}

/** A stack that runs. */
export interface LocalStack {
  /** The base URL of the API; undefined if the template has none. */
  readonly url: string | undefined;
  /** A page with the mail that was sent; as JSON at `/store`. */
  readonly mailbox: string;
  readonly endpoints: {
    readonly dynamodb: string;
    readonly sqs: string;
    readonly ses: string;
    readonly secretsmanager: string;
    readonly eventbridge: string;
  };
  /** The template's outputs. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The types of the template that would have an effect in AWS, and have none here. */
  readonly notRun: readonly string[];
  /** By logical id. */
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  readonly queues: QueueService;
  /**
   * Runs the later invocations of a function, by the name that the log calls it, with other code.
   *
   * @returns resolves when no instance with earlier code is left
   */
  readonly replaceCode: (label: string, codeDirectory: string) => Promise<void>;
  /**
   * Deploys another template of this stack. The data stay; requests under way end as they began.
   *
   * @returns the types of it that have no effect here; `replaced` resolves when nothing of the
   * earlier template runs any more
   * @throws Error when it cannot be deployed; the earlier one continues to run
   */
  readonly deploy: (
    assemblyDirectory: string,
  ) => Promise<{ readonly notRun: readonly string[]; readonly replaced: Promise<void> }>;
  readonly stop: () => Promise<void>;
}

/**
 * Runs a synthesized stack on this machine; everything listens on 127.0.0.1.
 * When something cannot start, what has started is stopped and the error is thrown.
 */
export const startLocalStack = async (options: LocalStackOptions): Promise<LocalStack> => {
  const running: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (let last = running.pop(); last !== undefined; last = running.pop()) await last();
  };
  try {
    return { ...(await start(options, (stopPart) => running.push(stopPart))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** What the parts of a stack need as they start. */
interface StartContext {
  readonly options: LocalStackOptions;
  readonly clock: Clock;
  readonly template: Template;
  readonly lines: LogLines;
  readonly onStop: (stopPart: () => unknown) => void;
}

/** Starts one part after another. They are stopped in the reverse order. */
const start = async (
  options: LocalStackOptions,
  onStop: StartContext['onStop'],
): Promise<Omit<LocalStack, 'stop'>> => {
  const { dataDirectory } = options;
  if (dataDirectory !== undefined) mkdirSync(dataDirectory, { recursive: true });
  const database = startDatabase(options, onStop);
  let onMail = (_: AcceptedMail): void => {};
  const [assemblyDirectory, mailbox] = await Promise.all([
    options.assemblyDirectory,
    startMailbox((mail) => onMail(mail)).then((started) => {
      onStop(started.stop);
      return started;
    }),
    // Fails at once when there is no Java.
    Promise.race([database, options.assemblyDirectory]),
  ]);
  const template = runnableTemplate(assemblyDirectory);
  const lines = new LogLines(template.labels(), options.log);
  const context = { options, clock: options.clock ?? new Clock(), template, lines, onStop };

  const { queues, sqsUrl } = await startQueues(context);
  nameVersions(template);
  const functions = newFunctions(context);
  const invoke = (name: string, event: unknown) => functions.invoke(name, event);
  const { buses, eventsUrl } = await startEvents(context, queues);
  const destinations = readEventDestinations(template);
  onMail = (mail) => {
    const events = simulatorEvents(mail, destinations, context.clock.now());
    for (const event of events) buses.put(event);
  };
  onStop(() => {
    onMail = () => {};
  });
  const secretsFile = dataPath(options, 'secrets.json');
  const secrets = await startSecretsServer(template, secretsFile, logFailure(options));
  onStop(secrets.stop);
  let ready = false;
  const { restApi, api } = await startApi(context, invoke, () => ready);

  const dynamodb = await database;
  void dynamodb?.lost.then(options.onLost);
  const dynamodbUrl = dynamodb?.url ?? options.dynamodbUrl ?? '';
  await createTables(template, dynamodbUrl);
  const endpoints = {
    dynamodb: dynamodbUrl,
    sqs: sqsUrl,
    ses: mailbox.url,
    secretsmanager: secrets.url,
    eventbridge: eventsUrl,
  };
  const environment = { ...endpointVariables(endpoints), ...options.environment };
  const sourceOptions = newSourceOptions(context, { queues, invoke, dynamodbUrl });
  const services = { api, sqsUrl, functions, buses, lines, environment, sourceOptions };
  const deployment = new Deployment(template, restApi, services);
  onStop(() => deployment.stop());
  await deployment.start();

  const outputs = template.outputs();
  await options.prepare?.({ endpoints, outputs });
  ready = true;
  return {
    url: api?.url,
    mailbox: mailbox.url,
    endpoints,
    outputs,
    notRun: template.notRun(),
    functions,
    queues,
    replaceCode: (label, codeDirectory) => deployment.replaceCode(label, codeDirectory),
    deploy: (directory) => deployment.deploy(directory),
  };
};

/** Where a service keeps its data; undefined when they are not kept. */
const dataPath = ({ dataDirectory }: LocalStackOptions, name: string): string | undefined =>
  dataDirectory && join(dataDirectory, name);

/** The same for a service that keeps its data in a database, or in memory. */
const databasePath = (options: LocalStackOptions, name: string): string =>
  dataPath(options, name) ?? ':memory:';

const logFailure =
  ({ log }: LocalStackOptions) =>
  (line: string) =>
    log(line, 'failed');

const startQueues = async ({ options, clock, template, lines, onStop }: StartContext) => {
  const queues = new QueueService({
    path: databasePath(options, 'queues.sqlite'),
    now: () => clock.now(),
    onDeadLetter: (letter) => lines.deadLetter(letter),
  });
  onStop(() => queues.close());
  const sqs = await startSqsServer(queues, logFailure(options));
  onStop(sqs.stop);
  createQueues(template, queues, sqs.url);
  return { queues, sqsUrl: sqs.url };
};

const newFunctions = ({ options, clock, lines }: StartContext): Functions =>
  new Functions({
    onLog: (name, line) => {
      lines.remember(line);
      options.functionLog?.(name, line);
    },
    clock,
    fleet: options.fleet,
    isDebugged: options.isDebugged,
  });

type Invoke = EventSourceOptions['invoke'];

const startEvents = async (
  { options, clock, template, lines, onStop }: StartContext,
  queues: QueueService,
) => {
  const store = new EventStore(databasePath(options, 'events.sqlite'));
  onStop(() => store.close());
  const buses = new EventBuses({
    definition: readEvents(template),
    store,
    queues,
    clock,
    onEvent: (log) => {
      lines.event(log);
      options.onEvent?.(log.event);
    },
    onFailure: logFailure(options),
  });
  const events = await startEventsServer(buses, logFailure(options));
  onStop(events.stop);
  return { buses, eventsUrl: events.url };
};

/**
 * Starts the gateway, if the template has a REST API. It listens before there are functions in it,
 * because their environment may hold its URL.
 */
const startApi = async (
  { options, template, lines, onStop }: StartContext,
  invoke: Invoke,
  isReady: () => boolean,
) => {
  const restApi = readRestApi(template);
  if (!restApi) return { restApi, api: undefined };
  const api = await startApiGateway({
    restApi,
    port: options.port ?? 0,
    onPortTaken: options.onPortTaken,
    isReady,
    ...(options.isDebugged && { integrationTimeoutMs: unlimitedMs }),
    invoke,
    onRequest: (request, body) => {
      lines.request(request);
      options.onAnswer?.(request, body);
    },
  });
  onStop(api.stop);
  template.rewrite(restApi.awsUrl, api.url);
  return { restApi, api };
};

const newSourceOptions = (
  { options, lines, onStop }: StartContext,
  parts: Pick<EventSourceOptions, 'queues' | 'invoke' | 'dynamodbUrl'>,
): EventSourceOptions => {
  const checkpoints = new StreamCheckpoints(databasePath(options, 'stream-checkpoints.sqlite'));
  onStop(() => checkpoints.close());
  return {
    ...parts,
    retryDelayMs: options.retryDelayMs,
    checkpoints,
    onBatch: (batch) => lines.batch(batch),
  };
};

/** Starts DynamoDB Local, unless the options name a DynamoDB that runs already. */
const startDatabase = (
  options: LocalStackOptions,
  onStop: StartContext['onStop'],
): Promise<DynamodbLocal> | undefined => {
  if (options.dynamodbUrl !== undefined) return undefined;
  const directory = dataPath(options, 'dynamodb');
  if (directory !== undefined) mkdirSync(directory, { recursive: true });
  const starting = options.dynamodb ?? startDynamodb(directory === undefined ? {} : { directory });
  onStop(() =>
    starting.then(
      (dynamodb) => dynamodb.stop(),
      () => {},
    ),
  );
  return starting;
};

/**
 * Where the SDKs look for a service's endpoint ("Service-specific endpoints", AWS SDKs and Tools).
 */
const endpointVariables = (endpoints: LocalStack['endpoints']): Record<string, string> => ({
  AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
  AWS_ENDPOINT_URL_SQS: endpoints.sqs,
  AWS_ENDPOINT_URL_SESV2: endpoints.ses,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsmanager,
  AWS_ENDPOINT_URL_EVENTBRIDGE: endpoints.eventbridge,
});
