import type { Programs } from './instance.ts';
import type { Rules, Step, Task } from './steps.ts';

/** An item of the table, unparsed. */
export type Item = Readonly<Record<string, unknown>>;

/** What is left of a schedule. */
export interface Aftermath {
  readonly items: readonly Item[];
  readonly messages: readonly Readonly<Record<string, string>>[];
  /** The first header of each mail that SES took. */
  readonly mails: readonly string[];
  /** The ids of what the bus took. */
  readonly events: readonly string[];
  readonly steps: readonly Step[];
}

/** What a client received. */
export interface Received {
  readonly letter: string;
  /** 0 without a response. */
  readonly status: number;
  readonly text: string;
}

/** A case, ready for one schedule: with items of its own. */
export interface Prepared {
  /** What there is before. */
  readonly items: readonly Item[];
  readonly tasks: readonly Task[];
  /** What happens when everything is over, and its leases too. */
  readonly last?: Task;
  /** How long that takes; no time unless given. */
  readonly leaseMs?: number;
  /** What must hold and does not. */
  readonly verdict: (aftermath: Aftermath) => string[];
  readonly tries?: readonly Received[];
}

export interface Case extends Rules {
  readonly name: string;
  readonly about: string;
  readonly prepare: (startMs: number) => Prepared;
}

/** What schedules run on. */
export interface Platform {
  readonly programs: Programs;
  /** The address of a DynamoDB Local. */
  readonly dynamodb: string;
  readonly put: (items: readonly Item[]) => Promise<void>;
  readonly readPartition: (pk: string) => Promise<readonly Item[]>;
  /** What is the same of the items that are left, where two schedules end alike. */
  readonly comparable: (items: readonly Item[]) => unknown;
}
