import type { ApiGateway } from './api-gateway/api-gateway.ts';
import { type RestApi, readRestApi } from './api-gateway/rest-api.ts';
import type { Template } from './cloudformation/template.ts';
import { createTables, tableShape } from './dynamodb/tables.ts';
import type { EventBuses } from './event-bridge/event-buses.ts';
import { readEvents } from './event-bridge/read-event-bridge.ts';
import {
  type EventSource,
  type EventSourceOptions,
  readEventSources,
} from './lambda/event-source-mappings.ts';
import { type Functions, functionSettings } from './lambda/functions.ts';
import { nameVersions } from './lambda/versions.ts';
import type { LogLines } from './log-lines.ts';
import { runnableTemplate } from './runnable-template.ts';
import { secretShape } from './secrets-manager/secret-store.ts';
import { createQueues } from './sqs/queues.ts';

/** The services that run what a template defines. They stay when another one is deployed. */
export interface LocalServices {
  readonly api: ApiGateway | undefined;
  readonly sqsUrl: string;
  readonly functions: Functions;
  readonly buses: EventBuses;
  readonly lines: LogLines;
  /** Variables for every function, over those of the template. */
  readonly environment: Readonly<Record<string, string>>;
  readonly sourceOptions: EventSourceOptions;
}

/** The template that runs, and how another one replaces it. */
export class Deployment {
  #template: Template;
  #restApi: RestApi | undefined;
  readonly #services: LocalServices;
  #sources: Promise<readonly EventSource[]> = Promise.resolve([]);

  /** @param template the first one; its queues, buses, secrets, API and tables exist */
  constructor(template: Template, restApi: RestApi | undefined, services: LocalServices) {
    this.#template = template;
    this.#restApi = restApi;
    this.#services = services;
  }

  /** Runs the functions and event sources of the first template. */
  async start(): Promise<void> {
    await this.#run(this.#template);
  }

  /**
   * Stops the event sources and the functions together: a source waits for its last batch, and the
   * function decides how long that takes.
   */
  async stop(): Promise<void> {
    const { functions } = this.#services;
    await Promise.all([this.#stopSources(), ...functions.values().map((each) => each.stop())]);
  }

  /** Runs the later invocations of a function with other code. `label` is its name in the log. */
  async replaceCode(label: string, codeDirectory: string): Promise<void> {
    const labels = this.#template.labels();
    const target = this.#services.functions.values().find(({ name }) => labels.get(name) === label);
    const replaced = target?.update({ codeDirectory });
    // An answer of an authorizer with the earlier code does not count any more.
    if (this.#restApi) this.#services.api?.serve(this.#restApi);
    await replaced;
  }

  /**
   * Replaces the template that runs.
   *
   * @returns the types of the next one that have no effect here; `replaced` resolves when nothing
   * of the earlier one runs any more
   * @throws Error when it cannot be deployed; the earlier one continues to run
   */
  async deploy(
    assemblyDirectory: string,
  ): Promise<{ readonly notRun: readonly string[]; readonly replaced: Promise<void> }> {
    const next = runnableTemplate(assemblyDirectory);
    requireSameData(this.#template, next);
    requireSameApi(this.#restApi, readRestApi(next));
    try {
      const { replaced } = await this.#replace(next);
      return { notRun: next.notRun(), replaced };
    } catch (error) {
      this.#createQueues(this.#template);
      throw error;
    }
  }

  /** An object, because the promise in it is not to be awaited here. */
  async #replace(next: Template): Promise<{ readonly replaced: Promise<void> }> {
    const { api, buses, lines, sourceOptions } = this.#services;
    this.#createQueues(next);
    nameVersions(next);
    const definition = readEvents(next);
    const restApi = readRestApi(next);
    if (restApi && api) next.rewrite(restApi.awsUrl, api.url);
    await createTables(next, sourceOptions.dynamodbUrl);
    const replaced = this.#run(next);
    this.#restApi = restApi;
    if (restApi) api?.serve(restApi);
    buses.deploy(definition);
    lines.setLabels(next.labels());
    this.#template = next;
    return { replaced };
  }

  #createQueues(template: Template): void {
    createQueues(template, this.#services.sourceOptions.queues, this.#services.sqsUrl);
  }

  /** Reads all that may fail before it changes anything. */
  #run(next: Template): Promise<void> {
    const { functions, environment, sourceOptions } = this.#services;
    const settings = functionSettings(next);
    const startSources = readEventSources(next);
    next.requireRunnable();
    const replaced = functions.deploy(settings, environment);
    // A mapping continues where its batches under way end.
    this.#sources = this.#stopSources().then(() =>
      startSources.map((start) => start(sourceOptions)),
    );
    return Promise.all([replaced, this.#sources]).then(() => {});
  }

  async #stopSources(): Promise<void> {
    await Promise.all((await this.#sources).map((source) => source.stop()));
  }
}

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

/** @throws Error when only one of the templates has a REST API, for which a gateway runs */
const requireSameApi = (now: RestApi | undefined, next: RestApi | undefined): void => {
  if (Boolean(next) !== Boolean(now)) {
    throw new Error(
      'A REST API that is new or gone is not taken over while the service runs. Start it again.',
    );
  }
};
