import type { FunctionInstance } from './function-instance.ts';

/** The limits of a fleet. */
export interface FleetOptions {
  /** Up to how many instances a function may get another one; its first it gets in any case. */
  readonly maximum?: number;
  /** How many instances may be starting at once. */
  readonly startsAtOnce?: number;
  /** After how long without an event an instance ends. */
  readonly idleMs?: number;
}

/** A function that needs instances. */
export interface FunctionPool {
  /** Whether another instance would find an event to work on. */
  readonly wantsInstance: () => boolean;
  /** How many instances it has, those that are starting included. */
  readonly instances: number;
  /** Starts one. Resolves when it is ready, or has failed. */
  readonly start: () => Promise<void>;
}

// The best values for a few cores and a gigabyte: more instances wait for each other and cost 40 MB
// each.
const defaultMaximum = 4;
// Loading a bundle needs only CPU. Instances that all start at once on a busy machine all start too
// late.
const defaultStartsAtOnce = 2;
const defaultIdleMs = 60_000;
/** What has worked within this time will probably be needed again, and starting it costs more. */
const keptMs = 5000;

/** All instances of a stack: how many there are, which start, and which idle ones end. */
export class Fleet {
  readonly #maximum: number;
  readonly #startsAtOnce: number;
  readonly #idleMs: number;
  readonly #instances = new Set<FunctionInstance>();
  /** Since when each is idle; the least recently used comes first. */
  readonly #idle = new Map<FunctionInstance, { sinceMs: number; end: NodeJS.Timeout }>();
  /** In the order in which it is their turn. */
  readonly #waiting = new Set<FunctionPool>();
  #starting = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor({
    maximum = defaultMaximum,
    startsAtOnce = defaultStartsAtOnce,
    idleMs = defaultIdleMs,
  }: FleetOptions = {}) {
    this.#maximum = maximum;
    this.#startsAtOnce = startsAtOnce;
    this.#idleMs = idleMs;
  }

  /** Counts an instance until it has ended. */
  add(instance: FunctionInstance): void {
    this.#instances.add(instance);
    void instance.exited.then(() => {
      this.#instances.delete(instance);
      this.markBusy(instance);
      this.#startMore();
    });
  }

  markIdle(instance: FunctionInstance): void {
    const end = setTimeout(() => void instance.terminate(), this.#idleMs).unref();
    this.#idle.set(instance, { sinceMs: performance.now(), end });
    this.#startMore();
  }

  markBusy(instance: FunctionInstance): void {
    clearTimeout(this.#idle.get(instance)?.end);
    this.#idle.delete(instance);
  }

  /** Starts an instance for the function as soon as there is room and it is its turn. */
  request(pool: FunctionPool): void {
    this.#waiting.add(pool);
    this.#startMore();
  }

  #startMore(): void {
    for (const pool of this.#waiting) {
      if (this.#starting >= this.#startsAtOnce) return;
      if (!pool.wantsInstance()) {
        this.#waiting.delete(pool);
        continue;
      }
      // A function without an instance always gets one: the others may be busy for long.
      if (pool.instances > 0 && !this.#makeRoom()) continue;
      // At the end, so that a function that needs several takes turns with the others.
      this.#waiting.delete(pool);
      this.#waiting.add(pool);
      this.#starting += 1;
      void pool.start().finally(() => {
        this.#starting -= 1;
        this.#startMore();
      });
    }
  }

  /** Ends the least recently used instance if there are too many for one more. */
  #makeRoom(): boolean {
    if (this.#instances.size < this.#maximum) return true;
    const [longestIdle] = this.#idle;
    if (longestIdle !== undefined) {
      const [instance, { sinceMs }] = longestIdle;
      if (performance.now() - sinceMs >= keptMs) {
        this.markBusy(instance);
        void instance.terminate();
        return true;
      }
    }
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.#startMore();
    }, keptMs).unref();
    return false;
  }
}
