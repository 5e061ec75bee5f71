import type { Footprint, ServiceCall } from './calls.ts';
import type { HttpResponse } from './instance.ts';

/**
 * What becomes of a call. Its caller gets the response (`done`), or a connection that broke
 * (`lost`), or the refusal of the service (`refused`; `partly`, of the first entry of a batch); its
 * function is killed while it waits (`killed`), or runs out of time (`late`). A write that was
 * lost, or whose function is gone, is under way in the network from then on, as a call of its own:
 * it arrives at some time, or never (`dropped`).
 */
export type CallEnding = 'done' | 'lost' | 'refused' | 'partly' | 'killed' | 'late' | 'dropped';

/** Something that can happen next. */
export interface Option {
  /** `A2`, the second call of the task A; `A2~` while it is under way; or `time`. */
  readonly name: string;
  readonly task: string;
  readonly footprint: Footprint;
  readonly endings: readonly CallEnding[];
}

/** Something that happened. */
export interface Step extends Omit<Option, 'endings'> {
  readonly ending: CallEnding;
  /** How many steps had happened when it became possible. */
  readonly possibleSince: number;
  /** The letters of the tasks that began with it. */
  readonly starts: readonly string[];
  readonly call: ServiceCall | undefined;
  readonly response: HttpResponse | undefined;
}

/** Whether any call has met a fault. */
export const isDisturbed = (steps: readonly Step[]): boolean =>
  steps.some(({ ending }) => ending !== 'done');

/** @returns undefined to give up the schedule */
export type Choose = (options: readonly Option[]) => Pick<Step, 'name' | 'ending'> | undefined;

/** Invokes a function in a new instance. @throws Killed */
export type Invoke = (
  functionName: string,
  event: unknown,
  environment?: Readonly<Record<string, string>>,
) => Promise<unknown>;

/** A client, or what invokes a consumer; its letter is the beginning of the names of its calls. */
export interface Task {
  readonly letter: string;
  /** What it begins after: `time`, or the first success of an operation. At once, unless given. */
  readonly startsAfter?: string;
  readonly run: (invoke: Invoke, steps: readonly Step[]) => Promise<void>;
}

/** The schedule cannot go on with a step that was chosen. */
export class NotPossible extends Error {
  override readonly name = 'NotPossible';
}

/** A function was killed: its caller gets no response. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

export interface Rules {
  /** How many calls may have another ending than `done`. */
  readonly faults: number;
  /** How far the step `time` sets the clocks. There is none without. */
  readonly passMs?: number;
  /** Whether it waits until nothing is under way: a call cannot be for a month. */
  readonly passesWhenIdle?: boolean;
  /** Whether a task's invocation of a function runs the one of the commit; none unless given. */
  readonly isBeside?: (task: string, functionName: string) => boolean;
}
