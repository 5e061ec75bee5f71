import { outbox } from '../../functions/domain/outbox.ts';
import { endTimes } from '../../functions/store/attributes.ts';

/** A change of an item, as the filter of a reader of the stream finds it. */
export interface ItemChange {
  readonly change: 'INSERT' | 'MODIFY';
  readonly types: readonly string[];
  /** The statuses that the item has after it; any, or none at all, unless given. */
  readonly statuses?: readonly string[];
  /** Whether the item says how it was ended. */
  readonly isEnded?: true;
}

/** The new items for which a message is sent. */
export const outboxChanges: readonly ItemChange[] = Object.values(outbox).map(
  ({ type, status }) => ({ change: 'INSERT', types: [type], statuses: [status] }),
);

/**
 * What there are events of. A mapping has five filters at most (Lambda Developer Guide, "Event
 * filtering").
 */
export const eventfulChanges: readonly ItemChange[] = [
  { change: 'INSERT', types: ['APPROVAL', 'REDACTION'] },
  // No sandbox is queued, and no delivery attempt provisioning.
  { change: 'INSERT', types: ['SANDBOX', 'DELIVERY'], statuses: ['provisioning', 'queued'] },
  { change: 'MODIFY', types: ['SANDBOX'], statuses: ['ready'] },
  {
    change: 'MODIFY',
    types: ['DELIVERY'],
    statuses: Object.keys(endTimes),
  },
  { change: 'MODIFY', types: ['PAYMENT_REQUEST'], isEnded: true },
];
