import { type RequestLog, startApiGateway } from './api-gateway/api-gateway.ts';
import { Clock } from './clock.ts';
import { Template } from './cloudformation/template.ts';
import { type Definition, readDefinition } from './definition.ts';
import { startDynamodb } from './dynamodb/dynamodb.ts';
import { createTables } from './dynamodb/tables.ts';
import { startEventBridgeServer } from './event-bridge/event-bridge-server.ts';
import { type BusEvent, EventBuses } from './event-bridge/event-buses.ts';
import type { BatchLog } from './lambda/batch.ts';
import type { FunctionSettings } from './lambda/function-instance.ts';
import { LambdaFunction } from './lambda/lambda-function.ts';
import { type Log, LogLines } from './log-lines.ts';
import type { Listener } from './server/listen.ts';
import { type AcceptedMail, startMailbox } from './ses/mailbox.ts';
import { simulatorEvents } from './ses/mailbox-simulator.ts';
import { QueueService } from './sqs/queue-service.ts';
import { startSqsServer } from './sqs/sqs-server.ts';

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
   * A DynamoDB that runs already, or is starting, instead of one started here. It is left running,
   * with its tables.
   */
  readonly dynamodbUrl?: string | Promise<string> | undefined;
  /** Variables for every function, over those of the template. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly clock?: Clock;
  /** Puts data into the tables before the API responds; until then its response is 503. */
  readonly prepare?: (stack: Pick<Engine, 'endpoints' | 'outputs'>) => Promise<void>;
  /** One line for each request, each message and each event, and how it ended. */
  readonly log: Log;
  /** Called with each request and the body of its response. */
  readonly onResponse?: ((request: RequestLog, body: string) => void) | undefined;
  /** Called with each event that a bus has accepted. */
  readonly onEvent?: ((event: BusEvent) => void) | undefined;
  /** Everything that functions print. */
  readonly functionLog?: ((functionName: string, line: string) => void) | undefined;
}

export interface Engine {
  /** The base URL of the API. */
  readonly url: string;
  /** A page with the mail that was sent; as JSON at `/store`. */
  readonly mailbox: string;
  readonly endpoints: {
    readonly dynamodb: string;
    readonly sqs: string;
    readonly ses: string;
    readonly eventbridge: string;
  };
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

type OnStop = (stopPart: () => unknown) => void;

/** Starts one part after another. They are stopped in the reverse order. */
const start = async (options: EngineOptions, onStop: OnStop): Promise<Omit<Engine, 'stop'>> => {
  const { clock = new Clock(), log } = options;
  const listening = async (starting: Promise<Listener>): Promise<string> => {
    const { url, stop } = await starting;
    onStop(stop);
    return url;
  };
  const logFailure = (line: string) => log(line, 'failed');
  const database = startDatabase(options, onStop);
  let onMail = (_: AcceptedMail): void => {};
  const [assemblyDirectory, ses] = await Promise.all([
    options.assemblyDirectory,
    listening(startMailbox((mail) => onMail(mail))),
    // Fails at once when there is no Java.
    Promise.race([database, options.assemblyDirectory]),
  ]);
  const queues = new QueueService(
    () => clock.now(),
    (...letter) => lines.deadLetter(...letter),
  );
  const sqs = await listening(startSqsServer(queues, logFailure));
  const template = new Template(assemblyDirectory, sqs);
  const lines = new LogLines(template.labels(), log);
  const dynamodb = await database;
  template.streamArns = await createTables(template, dynamodb);
  const definition = readDefinition(template);
  for (const queue of definition.queues) queues.create(queue);

  const buses = new EventBuses(definition.buses, definition.rules, queues, clock, (accepted) => {
    lines.event(accepted);
    options.onEvent?.(accepted.event);
  });
  onMail = (mail) => {
    for (const event of simulatorEvents(mail, clock.now())) buses.put('default', event);
  };
  const endpoints = {
    dynamodb,
    sqs,
    ses,
    eventbridge: await listening(startEventBridgeServer(buses, logFailure)),
  };
  const stack = { definition, endpoints, queues, lines };
  const { functions, api } = await startFunctions(stack, { ...options, clock }, onStop);
  return {
    url: api.url,
    mailbox: ses,
    endpoints,
    outputs: definition.outputs,
    notRun: template.notRun,
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

interface Stack extends Pick<Engine, 'endpoints' | 'queues'> {
  readonly definition: Definition;
  readonly lines: LogLines;
}

/** Starts the functions, and what invokes them: the API, queues and streams. */
const startFunctions = async (
  { definition, endpoints, queues, lines }: Stack,
  options: EngineOptions & { readonly clock: Clock },
  onStop: OnStop,
) => {
  const { clock, port = 0, onPortTaken, environment, functionLog, prepare, onResponse } = options;
  const onLog = (name: string, line: string) => {
    lines.remember(line);
    functionLog?.(name, line);
  };
  const create = (settings: FunctionSettings) => {
    const own = { ...settings.environment, ...endpointVariables(endpoints), ...environment };
    return new LambdaFunction({ ...settings, clock, environment: own }, onLog);
  };
  const functions = new Map([...definition.functions].map(([id, each]) => [id, create(each)]));
  const invoke = async (name: string, event: unknown) => {
    const target = functions.values().find((each) => each.name === name);
    if (target === undefined) throw new Error(`${name} is not in the template`);
    return target.invoke(event);
  };
  let isReady = false;
  const api = await startApiGateway({
    restApi: definition.restApi,
    port,
    onPortTaken,
    isReady: () => isReady,
    invoke,
    onRequest: (request, body) => {
      lines.request(request);
      onResponse?.(request, body);
    },
  });
  onStop(api.stop);
  const onBatch = (batch: BatchLog) => lines.batch(batch);
  const services = { invoke, queues, dynamodbUrl: endpoints.dynamodb, onBatch };
  const sources = definition.eventSources.map((startSource) => startSource(services));
  // Together: a source waits for its last batch, and the function decides how long that takes.
  onStop(() => Promise.all([...sources, ...functions.values()].map((each) => each.stop())));

  await prepare?.({ endpoints, outputs: definition.outputs });
  isReady = true;
  return { functions, api };
};

/** The URL of the DynamoDB of the options, or of one that is started and stopped here. */
const startDatabase = async (options: EngineOptions, onStop: OnStop): Promise<string> => {
  if (options.dynamodbUrl !== undefined) return options.dynamodbUrl;
  const starting = startDynamodb();
  onStop(async () => (await starting.catch(() => undefined))?.stop());
  return (await starting).url;
};

/**
 * Where the SDKs look for a service's endpoint ("Service-specific endpoints", AWS SDKs and Tools).
 */
const endpointVariables = (endpoints: Engine['endpoints']): Record<string, string> => ({
  AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
  AWS_ENDPOINT_URL_SQS: endpoints.sqs,
  AWS_ENDPOINT_URL_SESV2: endpoints.ses,
  AWS_ENDPOINT_URL_EVENTBRIDGE: endpoints.eventbridge,
});
