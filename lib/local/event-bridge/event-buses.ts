import { randomUUID } from 'node:crypto';
import { account, region } from '../aws-account.ts';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../server/service-error.ts';
import type { QueueService } from '../sqs/queue-service.ts';
import type { Archive } from './archives.ts';
import type { BusEvent, EventStore } from './event-store.ts';
import type { Rule } from './rules.ts';

/** One event that a bus has accepted, or one of a replay. */
export interface EventLog {
  readonly event: BusEvent;
  /** The queues of the rules that it matches. */
  readonly targets: string[];
}

/** An event before a bus has given it an identifier. */
export interface NewEvent {
  readonly bus: string;
  readonly source: string;
  readonly detailType: string;
  readonly detail: object;
  readonly resources: string[];
  /** Milliseconds since the epoch; now, if undefined. */
  readonly timeMs: number | undefined;
}

/** A replay of the events of a span of time. */
export interface Replay {
  readonly name: string;
  readonly archive: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** The rules that get them; all rules of the bus unless given. */
  readonly rules?: readonly string[];
}

/** The buses, rules and archives of a template. */
export interface EventsDefinition {
  /** The names of the buses. */
  readonly names: readonly string[];
  readonly rules: readonly Rule[];
  readonly archives: readonly Archive[];
}

/** The parts that the buses use. */
export interface EventBusesOptions {
  readonly definition: EventsDefinition;
  readonly store: EventStore;
  readonly queues: QueueService;
  readonly clock: Clock;
  readonly onEvent: (log: EventLog) => void;
  /** Called with a sentence when a queue has refused an event. */
  readonly onFailure?: (line: string) => void;
}

/** The event buses: each hands an event to the targets of the rules that it matches. */
export class EventBuses {
  readonly #options: EventBusesOptions;
  readonly #definition: EventsDefinition;
  /** The rules that are not the template's. */
  readonly #added = new Map<string, Rule>();
  readonly #replays = new Map<string, Replay>();

  constructor(options: EventBusesOptions) {
    this.#options = options;
    this.#definition = options.definition;
  }

  has(bus: string): boolean {
    return this.#definition.names.includes(bus);
  }

  /** @returns the id of the event */
  put(entry: NewEvent): string {
    const { clock, store } = this.#options;
    const { bus, source, detailType, detail, resources, timeMs = clock.now() } = entry;
    const event: BusEvent = {
      version: '0',
      id: randomUUID(),
      'detail-type': detailType,
      source,
      account,
      time: new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z'),
      region,
      resources,
      detail,
    };
    for (const archive of this.#definition.archives) {
      if (archive.bus === bus && archive.matches(event)) store.add(archive.name, event);
    }
    this.#deliver(event, this.#rulesOf(bus));
    return event.id;
  }

  /** Adds a rule, or replaces the one of its name on its bus, whatever the template says. */
  setRule(rule: Rule): void {
    this.#added.set(ruleKey(rule), rule);
  }

  /** @throws ServiceError `ResourceNotFoundException` */
  rule(bus: string, name: string): Rule {
    const rule = this.#rulesOf(bus).find((each) => each.name === name);
    if (!rule) throw new ServiceError('ResourceNotFoundException', `Rule ${name} does not exist.`);
    return rule;
  }

  deleteRule(bus: string, name: string): void {
    this.#added.delete(ruleKey({ bus, name }));
  }

  /**
   * Hands the archive's events of a span of time to its bus again, the oldest first. They are not
   * archived again.
   *
   * @throws ServiceError `ResourceNotFoundException`, `ResourceAlreadyExistsException`
   */
  replay(replay: Replay): void {
    const { store, clock } = this.#options;
    const archive = this.#definition.archives.find(({ name }) => name === replay.archive);
    if (!archive) {
      throw new ServiceError(
        'ResourceNotFoundException',
        `Archive ${replay.archive} does not exist.`,
      );
    }
    if (this.#replays.has(replay.name)) {
      const message = `Replay ${replay.name} already exists.`;
      throw new ServiceError('ResourceAlreadyExistsException', message);
    }
    this.#replays.set(replay.name, replay);
    const rules = this.#rulesOf(archive.bus).filter(
      ({ name }) => replay.rules?.includes(name) ?? true,
    );
    const kept = Math.max(replay.fromMs, clock.now() - archive.retentionMs);
    for (const event of store.read(archive.name, kept, replay.toMs)) {
      this.#deliver({ ...event, 'replay-name': replay.name }, rules);
    }
  }

  /** @throws ServiceError `ResourceNotFoundException` */
  findReplay(name: string): Replay {
    const replay = this.#replays.get(name);
    if (replay) return replay;
    throw new ServiceError('ResourceNotFoundException', `Replay ${name} does not exist.`);
  }

  #rulesOf(bus: string): Rule[] {
    const rules = this.#definition.rules.map((rule) => [ruleKey(rule), rule] as const);
    return [...new Map([...rules, ...this.#added]).values()].filter((rule) => rule.bus === bus);
  }

  #deliver(event: BusEvent, rules: readonly Rule[]): void {
    const { onEvent } = this.#options;
    const targets = rules.filter(({ matches }) => matches(event)).flatMap((rule) => rule.targets);
    for (const { queue, deadLetterQueue } of targets) {
      if (!this.#send(queue, event) && deadLetterQueue) this.#send(deadLetterQueue, event);
    }
    onEvent({ event, targets: targets.map(({ queue }) => queue) });
  }

  /**
   * On AWS too, an event that a target refuses is accepted by the bus, and reaches the others.
   *
   * @returns whether the queue has taken the event
   */
  #send(queue: string, event: BusEvent): boolean {
    const { queues, onFailure } = this.#options;
    try {
      queues.send(queue, { body: JSON.stringify(event) });
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      onFailure?.(`${queue} refused event ${event.id} (${error})`);
      return false;
    }
  }
}

const ruleKey = ({ bus, name }: Pick<Rule, 'bus' | 'name'>) => `${bus}/${name}`;
