import { randomUUID } from 'node:crypto';
import { account, busName, region } from '../aws-account.ts';
import type { Clock } from '../clock.ts';
import { requireSupported } from '../cloudformation/supported.ts';
import type { Template } from '../cloudformation/template.ts';
import { ServiceError } from '../server/json-server.ts';
import type { QueueService } from '../sqs/queue-service.ts';
import { compilePattern, type EventPattern } from './event-pattern.ts';

/**
 * An event as targets get it: the members of "AWS service event metadata" in the EventBridge user
 * guide.
 */
export interface BusEvent {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  /** ISO 8601 in UTC, in whole seconds. */
  readonly time: string;
  readonly region: string;
  readonly resources: string[];
  readonly detail: object;
}

export interface EventLog {
  readonly event: BusEvent;
  /** The queues of the rules that it matches. */
  readonly targets: string[];
}

/** What the sender of an event says. */
export type NewEvent = Pick<BusEvent, 'source' | 'detail-type' | 'detail' | 'resources'>;

/** A rule of a bus: the events that it matches, and the queues that get them. */
export interface Rule {
  readonly name: string;
  readonly bus: string;
  readonly matches: EventPattern;
  /** The ARNs of the queues, by the ids of the targets. */
  readonly targets: Map<string, string>;
}

type Target = Readonly<Record<'Id' | 'Arn', string>>;

export const readRules = (template: Template): Rule[] =>
  template.read('AWS::Events::Rule', ({ name, properties }) => {
    const { EventBusName, EventPattern, Targets = [] } = properties;
    const matches = compilePattern(EventPattern);
    return { name, bus: busName(EventBusName), matches, targets: readTargets(Targets) };
  });

/**
 * A dead-letter queue has nothing to do: a queue of this machine takes every event.
 *
 * @throws ServiceError that names what would change the event
 */
const readTargets = (targets: readonly Target[]): Map<string, string> => {
  for (const each of targets) requireSupported('Id Arn DeadLetterConfig RetryPolicy RoleArn', each);
  return new Map(targets.map(({ Id, Arn }) => [Id, Arn]));
};

/** The event buses: each hands an event to the queues of the rules that it matches. */
export class EventBuses {
  readonly #buses: readonly string[];
  readonly #rules: Map<string, Rule>;
  readonly #queues: QueueService;
  readonly #clock: Clock;
  readonly #onEvent: (log: EventLog) => void;

  constructor(
    buses: readonly string[],
    rules: readonly Rule[],
    queues: QueueService,
    clock: Clock,
    onEvent: (log: EventLog) => void,
  ) {
    this.#buses = [...buses, 'default'];
    this.#rules = new Map(rules.map((rule) => [ruleKey(rule), rule]));
    this.#queues = queues;
    this.#clock = clock;
    this.#onEvent = onEvent;
  }

  /**
   * @param timeMs milliseconds since the epoch
   * @returns the id of the event
   */
  put(bus: string, given: NewEvent, timeMs = this.#clock.now()): string {
    const time = new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z');
    const event: BusEvent = { version: '0', id: randomUUID(), account, time, region, ...given };
    const matching = [...this.#rules.values()].filter(
      (rule) => rule.bus === bus && rule.matches(event),
    );
    // On AWS too, an event is accepted although a queue of a rule has been deleted.
    const targets = matching
      .flatMap((rule) => [...rule.targets.values()])
      .flatMap((each) => this.#queues.withArn(each) ?? []);
    for (const queue of targets) this.#queues.send(queue, { body: JSON.stringify(event) });
    this.#onEvent({ event, targets });
    return event.id;
  }

  /** Adds a rule, or replaces one, which keeps its targets (EventBridge API Reference, PutRule). */
  putRule(rule: Omit<Rule, 'targets'>): void {
    if (!this.#buses.includes(rule.bus)) throw notFound(`Event bus ${rule.bus}`);
    const { targets = new Map() } = this.#rules.get(ruleKey(rule)) ?? {};
    this.#rules.set(ruleKey(rule), { ...rule, targets });
  }

  /** Adds targets to a rule, or replaces those with their ids. */
  putTargets(bus: string, name: string, targets: readonly Target[]): void {
    const rule = this.rule(bus, name);
    const missing = targets.find(({ Arn }) => !this.#queues.withArn(Arn));
    if (missing) throw notFound(`The target ${missing.Arn}`);
    for (const [id, queue] of readTargets(targets)) rule.targets.set(id, queue);
  }

  /** @throws ServiceError `ResourceNotFoundException` */
  rule(bus: string, name: string): Rule {
    const rule = this.#rules.get(ruleKey({ bus, name }));
    if (rule) return rule;
    throw notFound(`Rule ${name}`);
  }

  deleteRule(bus: string, name: string): void {
    this.#rules.delete(ruleKey({ bus, name }));
  }
}

const notFound = (what: string) =>
  new ServiceError('ResourceNotFoundException', `${what} does not exist.`);

const ruleKey = ({ bus, name }: Pick<Rule, 'bus' | 'name'>) => `${bus}/${name}`;
