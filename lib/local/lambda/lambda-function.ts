import { setTimeout as sleep } from 'node:timers/promises';
import { FunctionError } from './function-error.ts';
import { FunctionInstance, type FunctionSettings } from './function-instance.ts';

// Few, because they share a few cores: fifty cold starts at once would make each other time out.
const DEFAULT_CONCURRENCY = 10;
const STOP_GRACE_MS = 1000;

/** One Lambda function of the template: a pool of instances, each with one event at a time. */
export class LambdaFunction {
  readonly name: string;
  readonly #settings: FunctionSettings;
  readonly #onLog: (line: string) => void;
  readonly #idle: FunctionInstance[] = [];
  readonly #busy = new Set<FunctionInstance>();
  readonly #waiting: (() => void)[] = [];
  #freeSlots: number;
  #stopped = false;

  constructor(settings: FunctionSettings, onLog: (functionName: string, line: string) => void) {
    this.name = settings.name;
    this.#settings = settings;
    this.#onLog = (line) => onLog(settings.name, line);
    this.#freeSlots = settings.maximumConcurrency ?? DEFAULT_CONCURRENCY;
  }

  /**
   * Resolves with the handler's result. Rejects with FunctionError when the handler throws, runs out
   * of time or memory, or takes its instance down.
   *
   * Past its concurrency a function is throttled on AWS; here the event waits its turn, because a
   * laptop reaches the limit sooner than an account does.
   */
  async invoke(event: unknown): Promise<unknown> {
    await this.#takeSlot();
    try {
      if (this.#stopped) throw new FunctionError('Local.Stopped', `${this.name} is stopped`);
      return await this.#runOnInstance(event);
    } finally {
      this.#returnSlot();
    }
  }

  /** How many events are being worked on. */
  get busy(): number {
    return this.#busy.size;
  }

  /** Fault injection: kills every instance that is running now. Returns how many there were. */
  async killBusyInstances(): Promise<number> {
    const busy = [...this.#busy];
    await Promise.all(busy.map((instance) => instance.terminate()));
    return busy.length;
  }

  /** Ends idle instances now and busy ones when they finish, or after a short grace if they do not. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const busyExits = [...this.#busy].map((instance) => instance.exited);
    await Promise.all(this.#idle.map((instance) => instance.terminate()));
    await Promise.race([Promise.all(busyExits), sleep(STOP_GRACE_MS, undefined, { ref: false })]);
    await this.killBusyInstances();
  }

  async #runOnInstance(event: unknown): Promise<unknown> {
    const instance = this.#mostRecentlyUsed() ?? new FunctionInstance(this.#settings, this.#onLog);
    this.#busy.add(instance);
    try {
      return await instance.run(event);
    } finally {
      this.#busy.delete(instance);
      if (this.#stopped) await instance.terminate();
      else this.#idle.push(instance);
    }
  }

  #mostRecentlyUsed(): FunctionInstance | undefined {
    let instance = this.#idle.pop();
    while (instance !== undefined && !instance.alive) instance = this.#idle.pop();
    return instance;
  }

  async #takeSlot(): Promise<void> {
    if (this.#freeSlots > 0) this.#freeSlots -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  // A slot goes straight to the event that has waited longest, so that a newcomer cannot overtake it.
  #returnSlot(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#freeSlots += 1;
    else next();
  }
}
