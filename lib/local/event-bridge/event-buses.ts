import { randomUUID } from 'node:crypto';
import { account, busName, queueName, region } from '../aws-account.ts';
import type { Clock } from '../clock.ts';
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

/** One event that a bus has accepted. */
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
  readonly queues: readonly string[];
}

/**
 * Reads the template's rules. A target's dead-letter queue has nothing to do: a queue of this
 * machine takes every event.
 */
export const readRules = (template: Template): Rule[] =>
  template.read('AWS::Events::Rule', ({ name, properties }) => {
    const { EventBusName, EventPattern, Targets = [] } = properties;
    const queues = Targets.map(({ Arn }: { Arn: string }) => queueName(Arn));
    return { name, bus: busName(EventBusName), matches: compilePattern(EventPattern), queues };
  });

/** The event buses: each hands an event to the queues of the rules that it matches. */
export class EventBuses {
  readonly #rules: Map<string, Rule>;
  readonly #queues: QueueService;
  readonly #clock: Clock;
  readonly #onEvent: (log: EventLog) => void;

  constructor(
    rules: readonly Rule[],
    queues: QueueService,
    clock: Clock,
    onEvent: (log: EventLog) => void,
  ) {
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
    const known = this.#queues.names();
    const targets = matching.flatMap(({ queues }) => queues.filter((each) => known.includes(each)));
    for (const queue of targets) this.#queues.send(queue, { body: JSON.stringify(event) });
    this.#onEvent({ event, targets });
    return event.id;
  }

  /** Adds a rule, or replaces the one of its name on its bus. */
  setRule(rule: Rule): void {
    this.#rules.set(ruleKey(rule), rule);
  }

  /** @throws ServiceError `ResourceNotFoundException` */
  rule(bus: string, name: string): Rule {
    const rule = this.#rules.get(ruleKey({ bus, name }));
    if (rule) return rule;
    throw new ServiceError('ResourceNotFoundException', `Rule ${name} does not exist.`);
  }

  deleteRule(bus: string, name: string): void {
    this.#rules.delete(ruleKey({ bus, name }));
  }
}

const ruleKey = ({ bus, name }: Pick<Rule, 'bus' | 'name'>) => `${bus}/${name}`;
