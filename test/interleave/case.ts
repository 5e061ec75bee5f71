import type { Try } from './contract-model.ts';
import type { Rules, Step, Task } from './steps.ts';

export type Item = Readonly<Record<string, unknown>>;

/** What is left of a schedule. */
export interface Aftermath {
  readonly items: readonly Item[];
  readonly messages: readonly Readonly<Record<string, string>>[];
  /** The attempt of each mail that SES took. */
  readonly mails: readonly string[];
  /** The ids of what the bus took. */
  readonly events: readonly string[];
  readonly steps: readonly Step[];
}

/** A case, ready for one schedule: with a tenant of its own. */
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
  /** The answers of the clients. */
  readonly tries: readonly Try[];
}

export interface Case extends Rules {
  readonly name: string;
  readonly about: string;
  readonly prepare: (startMs: number) => Prepared;
}
