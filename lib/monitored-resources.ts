import type { OutboxQueue } from '../functions/domain/outbox.ts';
import type { PaymentsApi } from './api.ts';
import type { Events } from './events.ts';
import type { QueueConsumer } from './queue-consumer.ts';
import type { ServiceFunction } from './service-function.ts';
import type { StreamReader } from './stream-reader.ts';
import type { PaymentsTable } from './table.ts';

/** The resources of the service that the dashboard and the alarms watch. */
export interface MonitoredResources {
  readonly api: PaymentsApi;
  readonly table: PaymentsTable;
  readonly authorizer: ServiceFunction;
  readonly endpoints: readonly ServiceFunction[];
  readonly outbox: StreamReader;
  readonly events: Events;
  /** By the name of their queue in the stack's outputs. */
  readonly consumers: Readonly<Record<OutboxQueue | 'MailEvents', QueueConsumer>>;
}

/** Every Lambda function of the service. */
export const allFunctions = ({
  authorizer,
  endpoints,
  outbox,
  events,
  consumers,
}: MonitoredResources) => [
  authorizer,
  ...endpoints,
  outbox.function,
  events.publisher.function,
  ...Object.values(consumers).map((consumer) => consumer.function),
];
