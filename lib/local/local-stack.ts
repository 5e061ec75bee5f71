import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type RequestLog, startApiGateway } from './api-gateway/api-gateway.ts';
import { readRestApi } from './api-gateway/rest-api.ts';
import { Clock } from './clock.ts';
import { type DynamodbLocal, startDynamodb } from './dynamodb/dynamodb.ts';
import { createTables, tableShape } from './dynamodb/tables.ts';
import {
  type EventSource,
  type EventSourceOptions,
  readEventSources,
} from './event-sources/event-source-mappings.ts';
import { StreamCheckpoints } from './event-sources/stream-checkpoints.ts';
import { EventBuses } from './events/event-buses.ts';
import { type BusEvent, EventStore } from './events/event-store.ts';
import { startEventsServer } from './events/events-server.ts';
import { readEvents } from './events/read-events.ts';
import type { FleetOptions } from './lambda/fleet.ts';
import { Functions, functionSettings, unlimitedMs } from './lambda/functions.ts';
import type { LambdaFunction } from './lambda/lambda-function.ts';
import { nameVersions } from './lambda/versions.ts';
import { type Log, LogLines } from './log-lines.ts';
import { startMailbox } from './mailbox.ts';
import { runnableTemplate } from './runnable-template.ts';
import { secretShape } from './secret-store.ts';
import { startSecretsServer } from './secrets-server.ts';
import { QueueService } from './sqs/queue-service.ts';
import { createQueues } from './sqs/queues.ts';
import { startSqsServer } from './sqs/sqs-server.ts';
import type { Template } from './template/template.ts';

/** How a stack runs locally. */
export interface LocalStackOptions {
  /**
   * Where the CDK app is synthesized to, `cdk.out`. What can start without it does so meanwhile.
   */
  readonly assemblyDirectory: string | Promise<string>;
  /** The port of the API. 0, the default, takes a free one. */
  readonly port?: number | undefined;
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
  /** What the template asks for and this machine does not do, one line each. */
  readonly notHonoured: readonly string[];
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
   * Takes over another template of this stack. The data stay; requests under way end as they began.
   *
   * @returns what it asks for and this machine does not do; `replaced` resolves when nothing of the
   * earlier template runs any more
   * @throws Error when it cannot be taken over; the earlier one goes on
   */
  readonly deploy: (
    assemblyDirectory: string,
  ) => Promise<{ readonly notHonoured: readonly string[]; readonly replaced: Promise<void> }>;
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

/** Starts one part after another. They are stopped in the reverse order. */
const start = async (
  { port = 0, log, ...options }: LocalStackOptions,
  onStop: (stopPart: () => unknown) => void,
): Promise<Omit<LocalStack, 'stop'>> => {
  const { dataDirectory, clock = new Clock(), functionLog = () => {} } = options;
  if (dataDirectory !== undefined) mkdirSync(dataDirectory, { recursive: true });
  const dataPath = (name: string) => dataDirectory && join(dataDirectory, name);
  const starting =
    options.dynamodbUrl === undefined ? startOwnDynamodb(options, dataPath) : undefined;
  if (starting)
    onStop(() =>
      starting.then(
        (dynamodb) => dynamodb.stop(),
        () => {},
      ),
    );
  const [assemblyDirectory, mailbox] = await Promise.all([
    options.assemblyDirectory,
    startMailbox().then((started) => {
      onStop(started.stop);
      return started;
    }),
    // Fails at once when there is no Java.
    Promise.race([starting, options.assemblyDirectory]),
  ]);
  let template = runnableTemplate(assemblyDirectory);
  const lines = new LogLines(template.labels(), log);
  const logFailure = (line: string) => log(line, 'failed');

  const queues = new QueueService({
    path: dataPath('queues.sqlite') ?? ':memory:',
    now: () => clock.now(),
    onDeadLetter: (letter) => lines.deadLetter(letter),
  });
  onStop(() => queues.close());
  const sqs = await startSqsServer(queues, logFailure);
  onStop(sqs.stop);
  createQueues(template, queues, sqs.url);
  nameVersions(template);

  const functions = new Functions({
    onLog: (name, line) => {
      lines.hear(line);
      functionLog(name, line);
    },
    clock,
    fleet: options.fleet,
    isDebugged: options.isDebugged,
  });
  const invoke = (name: string, event: unknown) => functions.invoke(name, event);

  const store = new EventStore(dataPath('events.sqlite') ?? ':memory:');
  onStop(() => store.close());
  const buses = new EventBuses({
    definition: readEvents(template),
    store,
    queues,
    invoke,
    clock,
    onEvent: (log) => {
      lines.event(log);
      options.onEvent?.(log.event);
    },
    onFailure: logFailure,
  });
  onStop(() => buses.stop());
  const events = await startEventsServer(buses, logFailure);
  onStop(events.stop);

  const secrets = await startSecretsServer(template, dataPath('secrets.json'), logFailure);
  onStop(secrets.stop);

  // The API listens before there are functions in it, because their environment may hold its URL.
  let ready = false;
  let restApi = readRestApi(template);
  const api =
    restApi &&
    (await startApiGateway({
      restApi,
      port,
      isReady: () => ready,
      ...(options.isDebugged && { integrationTimeoutMs: unlimitedMs }),
      invoke,
      onRequest: (request, body) => {
        lines.request(request);
        options.onAnswer?.(request, body);
      },
    }));
  if (restApi && api) {
    onStop(api.stop);
    template.rewrite(restApi.awsUrl, api.url);
  }

  const dynamodb = await starting;
  void dynamodb?.lost.then(options.onLost);
  const dynamodbUrl = dynamodb?.url ?? options.dynamodbUrl ?? '';
  await createTables(template, dynamodbUrl);

  const endpoints = {
    dynamodb: dynamodbUrl,
    sqs: sqs.url,
    ses: mailbox.url,
    secretsmanager: secrets.url,
    eventbridge: events.url,
  };
  const environment = { ...endpointVariables(endpoints), ...options.environment };
  const checkpoints = new StreamCheckpoints(dataPath('stream-checkpoints.sqlite') ?? ':memory:');
  onStop(() => checkpoints.close());
  let sources: Promise<readonly EventSource[]> = Promise.resolve([]);
  const stopSources = async () => {
    await Promise.all((await sources).map((source) => source.stop()));
  };
  const sourceOptions: EventSourceOptions = {
    invoke,
    queues,
    retryDelayMs: options.retryDelayMs,
    dynamodbUrl,
    checkpoints,
    onBatch: (batch) => lines.batch(batch),
  };
  /** Reads all that may fail before it changes anything. */
  const run = (next: Template): Promise<unknown> => {
    const settings = functionSettings(next);
    const startSources = readEventSources(next);
    next.requireRunnable();
    const replaced = functions.deploy(settings, environment);
    // A mapping continues where its batches under way end.
    sources = stopSources().then(() => startSources.map((start) => start(sourceOptions)));
    return Promise.all([replaced, sources]);
  };
  // Together, because a source waits for its last batch and the function decides how long that
  // takes.
  onStop(() => Promise.all([stopSources(), ...functions.values().map((each) => each.stop())]));
  await run(template);

  const replaceCode = async (label: string, codeDirectory: string) => {
    const labels = template.labels();
    const target = functions.values().find(({ name }) => labels.get(name) === label);
    const replaced = target?.update({ codeDirectory });
    // An answer of an authorizer with the earlier code does not count any more.
    if (restApi) api?.serve(restApi);
    await replaced;
  };

  const deploy = async (directory: string) => {
    const next = runnableTemplate(directory);
    requireSameData(template, next);
    try {
      createQueues(next, queues, sqs.url);
      nameVersions(next);
      const definition = readEvents(next);
      const nextApi = readRestApi(next);
      if (Boolean(nextApi) !== Boolean(api)) {
        throw new Error(
          'A REST API that is new or gone is not taken over while the service runs. Start it again.',
        );
      }
      if (nextApi && api) next.rewrite(nextApi.awsUrl, api.url);
      await createTables(next, dynamodbUrl);
      const replaced = run(next).then(() => {});
      restApi = nextApi;
      if (nextApi) api?.serve(nextApi);
      buses.deploy(definition);
      lines.setLabels(next.labels());
      template = next;
      return { notHonoured: next.notHonoured(), replaced };
    } catch (error) {
      createQueues(template, queues, sqs.url);
      throw error;
    }
  };

  const outputs = template.outputs();
  await options.prepare?.({ endpoints, outputs });
  ready = true;
  return {
    url: api?.url,
    mailbox: mailbox.url,
    endpoints,
    outputs,
    notHonoured: template.notHonoured(),
    functions,
    queues,
    replaceCode,
    deploy,
  };
};

/** @throws Error when the next template changes what holds data: its content would not fit */
const requireSameData = (now: Template, next: Template): void => {
  for (const shape of [tableShape, secretShape] as const) {
    const [before, after] = [now, next].map((template) =>
      JSON.stringify(template.read<unknown>(shape)),
    );
    if (before !== after) {
      throw new Error(
        `A change of ${shape.type} is not taken over while the service runs, because it holds data. Start it again.`,
      );
    }
  }
};

const startOwnDynamodb = (
  { dynamodb }: Pick<LocalStackOptions, 'dynamodb'>,
  dataPath: (name: string) => string | undefined,
): Promise<DynamodbLocal> => {
  const directory = dataPath('dynamodb');
  if (directory !== undefined) mkdirSync(directory, { recursive: true });
  return dynamodb ?? startDynamodb(directory === undefined ? {} : { directory });
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
