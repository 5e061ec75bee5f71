import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiGateway, type RequestLog, startApiGateway } from './api-gateway/api-gateway.ts';
import { Clock } from './clock.ts';
import { labelsOf } from './cloudformation/resource-names.ts';
import { notRunIn } from './cloudformation/resource-types.ts';
import { loadTemplate, type Template } from './cloudformation/template.ts';
import { TemplateReader } from './cloudformation/template-reader.ts';
import { type Definition, readDefinition } from './definition.ts';
import { startDynamodb } from './dynamodb/dynamodb.ts';
import { createTables, tableShape } from './dynamodb/tables.ts';
import { startEventBridgeServer } from './event-bridge/event-bridge-server.ts';
import { EventBuses } from './event-bridge/event-buses.ts';
import { type BusEvent, EventStore } from './event-bridge/event-store.ts';
import type { EventSourceOptions } from './lambda/event-source-mappings.ts';
import type { FleetOptions } from './lambda/fleet.ts';
import { createFunctions, unlimitedMs } from './lambda/functions.ts';
import type { LambdaFunction } from './lambda/lambda-function.ts';
import { StreamCheckpoints } from './lambda/stream-checkpoints.ts';
import { type Log, LogLines } from './log-lines.ts';
import { SecretStore } from './secrets-manager/secret-store.ts';
import { startSecretsManagerServer } from './secrets-manager/secrets-manager-server.ts';
import { type AcceptedMail, startMailbox } from './ses/mailbox.ts';
import { simulatorEvents } from './ses/mailbox-simulator.ts';
import { QueueService } from './sqs/queue-service.ts';
import { startSqsServer } from './sqs/sqs-server.ts';

/** How a template runs locally. */
export interface EngineOptions {
  /**
   * Where the CDK app is synthesized to, `cdk.out`. What can start without it does so meanwhile.
   */
  readonly assemblyDirectory: string | Promise<string>;
  /** The port of the API. 0, the default, takes a free one. */
  readonly port?: number | undefined;
  /** Called when that port is taken; the API then takes a free one. Without it, the start fails. */
  readonly onPortTaken?: ((port: number) => void) | undefined;
  /**
   * A DynamoDB that runs already, or is starting, instead of one started here. It is left running:
   * another template can start on its data.
   */
  readonly dynamodbUrl?: string | Promise<string> | undefined;
  /** Keeps tables, queues, events and secrets there for the next start. */
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
  readonly prepare?: (stack: Pick<Engine, 'endpoints' | 'outputs'>) => Promise<void>;
  /** One line for each request, each message and each event, and how it ended. */
  readonly log: Log;
  /** Called with each request and the body of its answer. */
  readonly onAnswer?: ((request: RequestLog, body: string) => void) | undefined;
  /** Called with each event that a bus has accepted. */
  readonly onEvent?: ((event: BusEvent) => void) | undefined;
  /** Everything that functions print. */
  readonly functionLog?: ((functionName: string, line: string) => void) | undefined;
}

/** A template that runs. */
export interface Engine {
  /** The base URL of the API. */
  readonly url: string;
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
  readonly stop: () => Promise<void>;
}

/**
 * Runs a synthesized template on this machine; all but DynamoDB Local listens on 127.0.0.1 alone.
 * When something cannot start, what has started is stopped and the error is thrown.
 */
export const startEngine = async (options: EngineOptions): Promise<Engine> => {
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

/** What the services share as they start. */
interface StartContext {
  readonly options: EngineOptions;
  readonly clock: Clock;
  readonly lines: LogLines;
  readonly onStop: (stopPart: () => unknown) => void;
}

/** Starts one part after another. They are stopped in the reverse order. */
const start = async (
  options: EngineOptions,
  onStop: StartContext['onStop'],
): Promise<Omit<Engine, 'stop'>> => {
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
  const template = loadTemplate(assemblyDirectory);
  const lines = new LogLines(labelsOf(template), options.log);
  const context = { options, clock: options.clock ?? new Clock(), lines, onStop };
  const { queues, sqsUrl } = await startQueues(context);
  const dynamodbUrl = await database;
  const definition = await readTemplate(template, sqsUrl, dynamodbUrl);
  for (const queue of definition.queues) queues.create(queue);

  const { buses, eventBridgeUrl } = await startEventBridge(context, definition, queues);
  onMail = (mail) => {
    const events = simulatorEvents(mail, definition.destinations, context.clock.now());
    for (const event of events) buses.put(event);
  };
  onStop(() => {
    onMail = () => {};
  });
  const endpoints = {
    dynamodb: dynamodbUrl,
    sqs: sqsUrl,
    ses: mailbox.url,
    secretsmanager: await startSecretsManager(context, definition),
    eventbridge: eventBridgeUrl,
  };
  const functions = startFunctions(context, definition, endpoints);
  const named = (name: string) => functions.values().find((each) => each.name === name);
  const invoke = async (name: string, event: unknown) => {
    const target = named(name);
    if (target === undefined) throw new Error(`${name} is not in the template`);
    return target.invoke(event);
  };
  let isReady = false;
  const api = await startApi(context, definition, invoke, () => isReady);
  startEventSources(context, definition, { queues, invoke, dynamodbUrl, functions });

  const outputs = Object.fromEntries(
    Object.entries(definition.outputs).map(([name, value]) => [
      name,
      value.replace(definition.restApi.awsUrl, api.url),
    ]),
  );
  await options.prepare?.({ endpoints, outputs });
  isReady = true;
  return {
    url: api.url,
    mailbox: mailbox.url,
    endpoints,
    outputs,
    notRun: notRunIn(template),
    functions,
    queues,
    replaceCode: async (label, codeDirectory) => {
      const target = functions.values().find(({ name }) => lines.label(name) === label);
      const replaced = target?.update({ codeDirectory });
      // What an authorizer with the earlier code has decided does not count any more.
      api.forgetAuthorizations();
      await replaced;
    },
  };
};

/**
 * Makes the tables, and then reads everything else with the addresses of what runs.
 *
 * @throws Error that names everything in the template that cannot run
 */
const readTemplate = async (
  template: Template,
  sqsUrl: string,
  dynamodbUrl: string,
): Promise<Definition> => {
  const streamArns = new Map<string, string>();
  const reader = new TemplateReader(template, { sqsUrl, streamArns });
  for (const [logicalId, arn] of await createTables(reader.read(tableShape), dynamodbUrl)) {
    streamArns.set(logicalId, arn);
  }
  return readDefinition(reader);
};

/** Where a service keeps its data; undefined when they are not kept. */
const dataPath = ({ dataDirectory }: EngineOptions, name: string): string | undefined =>
  dataDirectory && join(dataDirectory, name);

/** The same for a service that keeps its data in a database, or in memory. */
const databasePath = (options: EngineOptions, name: string): string =>
  dataPath(options, name) ?? ':memory:';

const logFailure =
  ({ log }: EngineOptions) =>
  (line: string) =>
    log(line, 'failed');

const startQueues = async ({ options, clock, lines, onStop }: StartContext) => {
  const queues = new QueueService({
    path: databasePath(options, 'queues.sqlite'),
    now: () => clock.now(),
    onDeadLetter: (letter) => lines.deadLetter(letter),
  });
  onStop(() => queues.close());
  const sqs = await startSqsServer(queues, logFailure(options));
  onStop(sqs.stop);
  return { queues, sqsUrl: sqs.url };
};

const startEventBridge = async (
  { options, clock, lines, onStop }: StartContext,
  { eventBridge: definition }: Definition,
  queues: QueueService,
) => {
  const store = new EventStore(databasePath(options, 'events.sqlite'));
  onStop(() => store.close());
  const buses = new EventBuses({
    definition,
    store,
    queues,
    clock,
    onEvent: (log) => {
      lines.event(log);
      options.onEvent?.(log.event);
    },
    onFailure: logFailure(options),
  });
  const server = await startEventBridgeServer(buses, logFailure(options));
  onStop(server.stop);
  return { buses, eventBridgeUrl: server.url };
};

const startSecretsManager = async (
  { options, onStop }: StartContext,
  { secrets }: Definition,
): Promise<string> => {
  const store = new SecretStore(secrets, dataPath(options, 'secrets.json'));
  const server = await startSecretsManagerServer(store, logFailure(options));
  onStop(server.stop);
  return server.url;
};

const startFunctions = (
  { options, clock, lines }: StartContext,
  { functions }: Definition,
  endpoints: Engine['endpoints'],
): Map<string, LambdaFunction> =>
  createFunctions(functions, {
    environment: { ...endpointVariables(endpoints), ...options.environment },
    clock,
    fleet: options.fleet,
    isDebugged: options.isDebugged,
    onLog: (name, line) => {
      lines.remember(line);
      options.functionLog?.(name, line);
    },
  });

type Invoke = EventSourceOptions['invoke'];

const startApi = async (
  { options, lines, onStop }: StartContext,
  { restApi }: Definition,
  invoke: Invoke,
  isReady: () => boolean,
): Promise<ApiGateway> => {
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
  return api;
};

const startEventSources = (
  { options, lines, onStop }: StartContext,
  { eventSources }: Definition,
  {
    functions,
    ...services
  }: Pick<EventSourceOptions, 'queues' | 'invoke' | 'dynamodbUrl'> & Pick<Engine, 'functions'>,
): void => {
  const checkpoints = new StreamCheckpoints(databasePath(options, 'stream-checkpoints.sqlite'));
  onStop(() => checkpoints.close());
  const running = eventSources.map((startSource) =>
    startSource({
      ...services,
      retryDelayMs: options.retryDelayMs,
      checkpoints,
      onBatch: (batch) => lines.batch(batch),
    }),
  );
  // Together: a source waits for its last batch, and the function decides how long that takes.
  onStop(() => Promise.all([...running, ...functions.values()].map((each) => each.stop())));
};

/** The URL of the DynamoDB of the options, or of one that is started and stopped here. */
const startDatabase = async (
  options: EngineOptions,
  onStop: StartContext['onStop'],
): Promise<string> => {
  if (options.dynamodbUrl !== undefined) return options.dynamodbUrl;
  const directory = dataPath(options, 'dynamodb');
  if (directory !== undefined) mkdirSync(directory, { recursive: true });
  const starting = startDynamodb(directory === undefined ? {} : { directory });
  onStop(() =>
    starting.then(
      (dynamodb) => dynamodb.stop(),
      () => {},
    ),
  );
  return (await starting).url;
};

/**
 * Where the SDKs look for a service's endpoint ("Service-specific endpoints", AWS SDKs and Tools).
 */
const endpointVariables = (endpoints: Engine['endpoints']): Record<string, string> => ({
  AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
  AWS_ENDPOINT_URL_SQS: endpoints.sqs,
  AWS_ENDPOINT_URL_SESV2: endpoints.ses,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsmanager,
  AWS_ENDPOINT_URL_EVENTBRIDGE: endpoints.eventbridge,
});
