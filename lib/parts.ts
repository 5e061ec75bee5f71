import type { PaymentsApi } from './api.ts';
import type { Outbox } from './outbox.ts';
import type { QueueConsumer } from './queue-consumer.ts';
import type { ServiceFunction } from './service-function.ts';
import type { PaymentsTable } from './table.ts';

/** The parts of the service that the dashboard and the alarms watch. */
export interface Parts {
  readonly api: PaymentsApi;
  readonly table: PaymentsTable;
  readonly authorizer: ServiceFunction;
  readonly endpoints: readonly ServiceFunction[];
  readonly outbox: Outbox;
  /** By the name of their queue in the stack's outputs. */
  readonly consumers: Readonly<Record<'Provisioning' | 'Delivery' | 'MailEvents', QueueConsumer>>;
}
