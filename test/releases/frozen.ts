import type { Item } from '../../bin/admin/table/scan.ts';
import type { Event } from '../../functions/domain/events.ts';
import type { OperationId, OperationRequest } from '../../lib/openapi/operation.ts';

/** A request with an Idempotency-Key. */
export interface KeyedRequest extends OperationRequest {
  readonly operation: OperationId;
  readonly token: string;
  readonly key: string;
}

/** A request with a key, and its first answer, of which every replay is a copy. */
export interface SavedAnswer extends KeyedRequest {
  readonly status: number;
  readonly text: string;
}

/** A page of the list of sandboxes. */
export interface FrozenPage {
  readonly query: Readonly<Record<string, string>>;
  /** The identifiers on it. */
  readonly ids: readonly string[];
}

/** A message that a queue holds, by the end of the queue's name in the outputs of the stack. */
export interface FrozenMessage {
  readonly queue: 'provisioning' | 'delivery' | 'mail-events' | 'events';
  readonly body: string;
}

/** What a release leaves in a service, with what clients hold of it. */
export interface Frozen {
  /** The time of the service, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly workspace: string;
  readonly account: string;
  readonly manager: string;
  readonly tokens: Readonly<Record<'live' | 'test' | 'readOnly' | 'revoked' | 'expired', string>>;
  readonly cursorSecret: string;
  readonly pages: readonly FrozenPage[];
  readonly answers: readonly SavedAnswer[];
  /** Requests that have begun and are not answered. */
  readonly inProgress: readonly KeyedRequest[];
  /** Messages that were given up, whose effect is still to come. */
  readonly messages: readonly FrozenMessage[];
  readonly events: readonly Event[];
  readonly items: readonly Item[];
  /** What `export` writes for the workspace. */
  readonly exported: string;
}
