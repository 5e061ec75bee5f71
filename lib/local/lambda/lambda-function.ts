import { setTimeout as sleep } from 'node:timers/promises';
import { Fleet, type FunctionPool } from './fleet.ts';
import { FunctionError } from './function-error.ts';
import { FunctionInstance, type FunctionSettings } from './function-instance.ts';

const defaultConcurrency = 10;
const stopGraceMs = 1000;

interface Waiting {
  readonly event: unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** One Lambda function of the template: a pool of instances, each with one event at a time. */
export class LambdaFunction implements FunctionPool {
  readonly name: string;
  #settings: FunctionSettings;
  readonly #onLog: (line: string) => void;
  readonly #fleet: Fleet;
  readonly #idle: FunctionInstance[] = [];
  readonly #busy = new Set<FunctionInstance>();
  readonly #starting = new Set<FunctionInstance>();
  readonly #waiting: Waiting[] = [];
  #stopped = false;

  constructor(
    settings: FunctionSettings,
    onLog: (functionName: string, line: string) => void,
    fleet = new Fleet(),
  ) {
    this.name = settings.name;
    this.#settings = settings;
    this.#onLog = (line) => onLog(settings.name, line);
    this.#fleet = fleet;
  }

  /**
   * Resolves with the handler's result.
   *
   * Past its concurrency a function is throttled on AWS; here the event waits its turn, because a
   * laptop reaches the limit sooner than an account does. It goes to the first instance that
   * becomes free or ready, and never overtakes another event.
   *
   * @throws FunctionError when the handler throws, runs out of time or memory, or takes its
   * instance down
   */
  async invoke(event: unknown): Promise<unknown> {
    if (this.#stopped) throw this.#stoppedError();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ event, resolve, reject });
      const instance = this.#mostRecentlyUsed();
      if (instance === undefined) this.#fleet.request(this);
      else this.#takeNext(instance);
    });
  }

  /** How many events are being worked on, or wait to be. */
  get busy(): number {
    return this.#busy.size + this.#waiting.length;
  }

  get instances(): number {
    return this.#idle.length + this.#busy.size + this.#starting.size;
  }

  wantsInstance(): boolean {
    const { maximumConcurrency = defaultConcurrency } = this.#settings;
    return this.#waiting.length > this.#starting.size && this.instances < maximumConcurrency;
  }

  /**
   * Starts an instance for the events that wait. The time that it takes to load does not count
   * towards the function's timeout.
   */
  async start(): Promise<void> {
    const instance = this.#newInstance();
    this.#starting.add(instance);
    try {
      await instance.load();
      this.#starting.delete(instance);
      this.#takeNext(instance);
    } catch (error) {
      this.#starting.delete(instance);
      // What `update` has ended is no answer: the event waits for an instance with the new code.
      if (this.#isCurrent(instance)) this.#waiting.shift()?.reject(error);
      if (this.#waiting.length > 0) this.#fleet.request(this);
    }
  }

  /**
   * Takes other settings, such as other code. Every later invocation runs with them; an event that
   * an instance is working on is finished as it began.
   *
   * @returns resolves when no instance with earlier settings is left
   */
  async update(settings: Partial<FunctionSettings>): Promise<void> {
    this.#settings = { ...this.#settings, ...settings };
    const unused = [...this.#idle, ...this.#starting];
    const busyExits = [...this.#busy].map((instance) => instance.exited);
    await Promise.all([...unused.map((instance) => instance.terminate()), ...busyExits]);
  }

  /** Fault injection: kills every instance that is running now. Returns how many there were. */
  async killBusyInstances(): Promise<number> {
    const busy = [...this.#busy];
    await Promise.all(busy.map((instance) => instance.terminate()));
    return busy.length;
  }

  /** Ends idle instances now, and busy ones when they finish or after a short grace period. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#stoppedError());
    const busyExits = [...this.#busy].map((instance) => instance.exited);
    const unused = [...this.#idle, ...this.#starting];
    await Promise.all(unused.map((instance) => instance.terminate()));
    await Promise.race([Promise.all(busyExits), sleep(stopGraceMs, undefined, { ref: false })]);
    await this.killBusyInstances();
  }

  #newInstance(): FunctionInstance {
    const instance = new FunctionInstance(this.#settings, this.#onLog);
    // First, so that the fleet sees how many are left.
    void instance.exited.then(() => this.#leaveIdle(instance));
    this.#fleet.add(instance);
    return instance;
  }

  #isCurrent(instance: FunctionInstance): boolean {
    return instance.settings === this.#settings;
  }

  /** Gives the instance the event that has waited longest; without one it is idle, or ends. */
  #takeNext(instance: FunctionInstance): void {
    if (!this.#isCurrent(instance)) {
      void instance.terminate();
      if (this.#waiting.length > 0) this.#fleet.request(this);
      return;
    }
    const next = this.#waiting.shift();
    if (next !== undefined) void this.#run(instance, next);
    else if (this.#stopped) void instance.terminate();
    else {
      this.#idle.push(instance);
      this.#fleet.markIdle(instance);
    }
  }

  async #run(instance: FunctionInstance, { event, resolve, reject }: Waiting): Promise<void> {
    this.#fleet.markBusy(instance);
    this.#busy.add(instance);
    try {
      resolve(await instance.run(event));
    } catch (error) {
      reject(error);
    }
    this.#busy.delete(instance);
    if (instance.alive) this.#takeNext(instance);
    if (this.#waiting.length > 0) this.#fleet.request(this);
  }

  #mostRecentlyUsed(): FunctionInstance | undefined {
    let instance = this.#idle.pop();
    while (instance !== undefined && !instance.alive) instance = this.#idle.pop();
    return instance;
  }

  #leaveIdle(instance: FunctionInstance): void {
    const index = this.#idle.indexOf(instance);
    if (index >= 0) this.#idle.splice(index, 1);
  }

  #stoppedError(): FunctionError {
    return new FunctionError('Local.Stopped', `${this.name} is stopped`);
  }
}
