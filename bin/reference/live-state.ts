import { Event } from '../../functions/domain/events.ts';
import type { BusEvent, QueueService, RequestLog } from '../../lib/local/local-engine.ts';
import type { QueueUrls } from '../stack-file/queue-urls.ts';

/** What happened to a sandbox or a delivery attempt. */
type EffectEvent = Extract<Event, { data: { id: string; status: string } }>;

const shown = 5;
const kept = 500;

/** What follows from requests, as the panel beside the reference shows it. */
export class LiveState {
  /** By Request-Id, which an event names. */
  readonly #requests = new Map<string, RequestLog>();
  /** Newest first. */
  #events: Event[] = [];
  /** What import-record logs (functions/domain/record.ts), newest first, each message once. */
  #records: { readonly message_id: string }[] = [];

  addRequest(request: RequestLog): void {
    this.#requests.set(request.requestId, request);
    const [oldest = ''] = this.#requests.keys();
    if (this.#requests.size > kept) this.#requests.delete(oldest);
  }

  /** Keeps an event of the service's own; one that comes again stays where it was. */
  addEvent({ detail }: BusEvent): void {
    const { data: event } = Event.safeParse(detail);
    if (!event || this.#events.some(({ id }) => id === event.id)) return;
    this.#events = [event, ...this.#events].slice(0, kept);
  }

  /** Keeps what became of a message of a record, by a line of its function's log. */
  addRecord(line: string): void {
    const { message, ...record } = JSON.parse(line);
    if (message !== 'message') return;
    const others = this.#records.filter(({ message_id }) => message_id !== record.message_id);
    this.#records = [record, ...others].slice(0, shown);
  }

  /** @param urls of the queues to count, by name */
  snapshot(queues: QueueService, urls: QueueUrls) {
    return {
      sandboxes: this.#rows('sandbox.'),
      deliveries: this.#rows('delivery_attempt.'),
      records: this.#records.map(({ message_id: id, ...record }) => ({ id, ...record })),
      events: this.#events.slice(0, shown),
      queues: Object.entries(urls).map(([name, { url, deadLetters }]) => ({
        name,
        own: url && count(queues, url),
        deadLetters: count(queues, deadLetters),
      })),
    };
  }

  /** Sandboxes or delivery attempts, newest first, each with every status that it has had. */
  #rows(prefix: 'sandbox.' | 'delivery_attempt.') {
    const events = this.#events.filter((event): event is EffectEvent =>
      event.type.startsWith(prefix),
    );
    return [...Map.groupBy(events, ({ data }) => data.id)]
      .sort(([one], [other]) => (one < other ? 1 : -1))
      .slice(0, shown)
      .map(([id, ofRow]) => {
        const states = ofRow.toSorted((one, other) => (one.time < other.time ? -1 : 1));
        return { id, states, request: this.#requests.get(states[0]?.request_id ?? '') };
      });
  }
}

const count = (queues: QueueService, url: string) =>
  queues.attributes(url.slice(url.lastIndexOf('/') + 1));
