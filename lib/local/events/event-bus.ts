import { randomUUID } from 'node:crypto';
import { account, region } from '../account.ts';
import type { Clock } from '../clock.ts';
import type { QueueService } from '../sqs/queue-service.ts';
import type { Rule } from './rules.ts';

/** One event, as the local run prints it. */
export interface EventLog {
  readonly id: string;
  readonly source: string;
  readonly detailType: string;
  /** The queues that it went to. */
  readonly queues: string[];
}

/** An event before the bus has given it an identifier. */
export interface NewEvent {
  readonly source: string;
  readonly detailType: string;
  readonly detail: object;
  readonly resources: string[];
  /** Milliseconds since the epoch; now, if undefined. */
  readonly timeMs: number | undefined;
}

/** The default event bus: puts an event into the queues of the rules that it matches. */
export class EventBus {
  #rules: readonly Rule[];
  readonly #queues: QueueService;
  readonly #clock: Clock;
  readonly #onEvent: (log: EventLog) => void;

  constructor(options: {
    rules: readonly Rule[];
    queues: QueueService;
    clock: Clock;
    onEvent: (log: EventLog) => void;
  }) {
    this.#rules = options.rules;
    this.#queues = options.queues;
    this.#clock = options.clock;
    this.#onEvent = options.onEvent;
  }

  /** Later events go where these rules send them. */
  setRules(rules: readonly Rule[]): void {
    this.#rules = rules;
  }

  /**
   * @returns the id of the event
   * @throws ServiceError when it is too large for a queue
   */
  put({ source, detailType, detail, resources, timeMs = this.#clock.now() }: NewEvent): string {
    const id = randomUUID();
    // The members and their order are those of "AWS service event metadata" in the EventBridge user
    // guide; the time has no fraction of a second.
    const event = {
      version: '0',
      id,
      'detail-type': detailType,
      source,
      account,
      time: new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z'),
      region,
      resources,
      detail,
    };
    const queues = this.#rules
      .filter(({ matches }) => matches(event))
      .flatMap((rule) => rule.queues);
    for (const queue of queues) this.#queues.send(queue, { body: JSON.stringify(event) });
    this.#onEvent({ id, source, detailType, queues });
    return id;
  }
}
