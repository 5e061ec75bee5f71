import { setTimeout as sleep } from 'node:timers/promises';
import type { Template } from '../cloudformation/template.ts';
import { FunctionError } from './function-error.ts';
import { FunctionInstance, type FunctionSettings } from './function-instance.ts';

/** More wait for each other on a few cores, and cost 30 MB each: of five, a stack took 1.3 GB. */
export const maximumInstances = 3;
/** After how long without an event an instance ends. */
const idleMs = 60_000;
const stopGraceMs = 1000;

/** Reads what the template sets for its functions, by logical id. Defaults are CloudFormation's. */
export const readFunctionSettings = (template: Template): Map<string, FunctionSettings> =>
  new Map(
    template.read('AWS::Lambda::Function', ({ logicalId, name, properties }) => {
      const { Code, Handler: handler, Timeout = 3, MemorySize = 128, Environment } = properties;
      const codeDirectory = template.assetDirectory(Code.S3Key);
      const environment = Environment?.Variables ?? {};
      const timeoutMs = Timeout * 1000;
      const settings = { name, codeDirectory, handler, timeoutMs, memoryMb: MemorySize };
      return [logicalId, { ...settings, environment }] as const;
    }),
  );

interface Waiting {
  readonly event: unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** One Lambda function of the template: up to three instances, each with one event at a time. */
export class LambdaFunction {
  readonly name: string;
  #settings: FunctionSettings;
  readonly #onLog: (line: string) => void;
  /** What ends each when it stays idle; the most recently used comes last. */
  readonly #idle = new Map<FunctionInstance, NodeJS.Timeout>();
  readonly #busy = new Set<FunctionInstance>();
  readonly #starting = new Set<FunctionInstance>();
  readonly #waiting: Waiting[] = [];
  #stopped = false;

  constructor(settings: FunctionSettings, onLog: (functionName: string, line: string) => void) {
    this.name = settings.name;
    this.#settings = settings;
    this.#onLog = (line) => onLog(settings.name, line);
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
      this.#work();
    });
  }

  /** How many events are being worked on, or wait to be. */
  get busy(): number {
    return this.#busy.size + this.#waiting.length;
  }

  get instances(): number {
    return this.#idle.size + this.#busy.size + this.#starting.size;
  }

  /**
   * Takes other settings, such as other code. Every later invocation runs with them; an event that
   * an instance is working on is finished as it began.
   *
   * @returns resolves when no instance with earlier settings is left
   */
  async update(settings: Partial<FunctionSettings>): Promise<void> {
    this.#settings = { ...this.#settings, ...settings };
    const busyExits = [...this.#busy].map((instance) => instance.exited);
    await Promise.all([this.#endUnused(), ...busyExits]);
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
    await this.#endUnused();
    await Promise.race([Promise.all(busyExits), sleep(stopGraceMs, undefined, { ref: false })]);
    await this.killBusyInstances();
  }

  /** Gives the events that wait to idle instances, and starts more for the others. */
  #work(): void {
    for (const instance of [...this.#idle.keys()].reverse()) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#leaveIdle(instance);
      void this.#run(instance, next);
    }
    while (this.#waiting.length > this.#starting.size && this.instances < maximumInstances) {
      void this.#start();
    }
  }

  /** The time that an instance takes to load does not count towards the function's timeout. */
  async #start(): Promise<void> {
    const instance = new FunctionInstance(this.#settings, this.#onLog);
    this.#starting.add(instance);
    void instance.exited.then(() => this.#leaveIdle(instance));
    try {
      await instance.loaded;
      this.#starting.delete(instance);
      this.#release(instance);
    } catch (error) {
      this.#starting.delete(instance);
      // What `update` has ended is no response: the event waits for an instance with the new code.
      if (this.#isCurrent(instance)) this.#waiting.shift()?.reject(error);
      this.#work();
    }
  }

  async #run(instance: FunctionInstance, { event, resolve, reject }: Waiting): Promise<void> {
    this.#busy.add(instance);
    try {
      resolve(await instance.run(event));
    } catch (error) {
      reject(error);
    }
    this.#busy.delete(instance);
    if (instance.alive) this.#release(instance);
    else this.#work();
  }

  /** Takes an instance that could run the next event; without one it is idle, or ends. */
  #release(instance: FunctionInstance): void {
    if (this.#stopped || !this.#isCurrent(instance)) void instance.terminate();
    else this.#idle.set(instance, setTimeout(() => void this.#end(instance), idleMs).unref());
    this.#work();
  }

  #leaveIdle(instance: FunctionInstance): void {
    clearTimeout(this.#idle.get(instance));
    this.#idle.delete(instance);
  }

  async #end(instance: FunctionInstance): Promise<void> {
    this.#leaveIdle(instance);
    await instance.terminate();
  }

  async #endUnused(): Promise<void> {
    const unused = [...this.#idle.keys(), ...this.#starting];
    await Promise.all(unused.map((instance) => this.#end(instance)));
  }

  #isCurrent(instance: FunctionInstance): boolean {
    return instance.settings === this.#settings;
  }

  #stoppedError(): FunctionError {
    return new FunctionError('Local.Stopped', `${this.name} is stopped`);
  }
}
