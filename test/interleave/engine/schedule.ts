/**
 * Runs clients and functions one step at a time: every call to AWS waits until the search chooses
 * it, and its ending.
 *
 * An instance only computes between a response and its next call (`instance.ts`), so when Node.js
 * has run all microtasks, each invocation either waits at a call or has ended. That is verified
 * after each step.
 *
 * The time of an invocation is that of the schedule, plus a constant of its task, plus the pauses
 * that it has made. So it depends on its own past alone, and on the one step that lets time pass
 * for all. A pause before another try ends at once: its call can be held for as long as a pause
 * could last.
 */
import { setImmediate as microtasks } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  isThrottled,
  isWrite,
  joined,
  partsOf,
  readCall,
  type ServiceCall,
  type Services,
} from './calls.ts';
import {
  type HttpRequest,
  type HttpResponse,
  type Machine,
  nameBeside,
  type Programs,
} from './instance.ts';
import {
  type CallEnding,
  type Choose,
  type Invoke,
  Killed,
  NotPossible,
  type Option,
  type Rules,
  type Step,
  type Task,
} from './steps.ts';

interface Held {
  readonly name: string;
  readonly task: string;
  readonly call: ServiceCall;
  /** None for a call that is under way. */
  readonly caller?: Invocation;
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: Error) => void;
  /** Node.js keeps a combined signal, and so the whole instance, while it has a listener. */
  readonly stopListening: () => void;
}

interface Timer {
  readonly dueMs: number;
  readonly isPause: boolean;
  readonly run: () => void;
}

/** A function's own limit on its time is longer, and its pauses before another try are shorter. */
const longestPauseMs = 1000;
const timeoutMs = 10_000;
/** Of the clocks of two tasks. So identifiers of two tasks have an order that is not random. */
const skewMs = 7;

/** Each schedule begins later than an instance that it may take has ended: no clock steps back. */
let lastStartMs = Date.now();
const longestReusedMs = 2 * 86_400_000;

export class Schedule {
  readonly steps: Step[] = [];
  readonly startMs: number;
  readonly #programs: Programs;
  readonly #services: Services;
  readonly #rules: Rules;
  readonly #held: Held[] = [];
  readonly #invocations = new Set<Invocation>();
  readonly #possibleSince = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  #passedMs = 0;
  /** Whether calls are not held. */
  isFree = false;

  constructor(programs: Programs, services: Services, rules: Rules) {
    this.#programs = programs;
    this.#services = services;
    this.#rules = rules;
    lastStartMs += longestReusedMs;
    this.startMs = lastStartMs;
  }

  /** @returns whether it came to an end, that is, was not given up */
  async run(tasks: readonly Task[], choose: Choose): Promise<boolean> {
    const errors: unknown[] = [];
    const waiting = [...tasks.entries()];
    const start = (event?: string): string[] => {
      const all = waiting.filter(([, { startsAfter }]) => startsAfter === event);
      for (const entry of all) {
        const [index, { letter, run }] = entry;
        waiting.splice(waiting.indexOf(entry), 1);
        const invoke: Invoke = (...called) => this.#invoke(letter, index * skewMs, ...called);
        run(invoke, this.steps).catch((error) => errors.push(error));
      }
      return all.map(([, { letter }]) => letter);
    };
    start();
    for (;;) {
      await this.#compute();
      const options = this.#options();
      if (options.length === 0) break;
      const chosen = choose(options);
      if (!chosen) return false;
      const option = options.find(({ name }) => name === chosen.name);
      if (!option?.endings.includes(chosen.ending)) {
        const possible = options.map(({ name, endings }) => `${name} (${endings.join(', ')})`);
        throw new NotPossible(
          `${chosen.name}:${chosen.ending} is not possible here, only ${possible.join('; ')}.`,
        );
      }
      await this.#take(option, chosen.ending, start);
    }
    if (errors.length > 0) throw errors[0];
    return true;
  }

  /** Lets time pass, and runs one more task to its end without holding its calls. */
  async finish(task: Task, passMs: number): Promise<void> {
    this.#passedMs += passMs;
    this.isFree = true;
    await task.run((...called) => this.#invoke(task.letter, 0, ...called), this.steps);
  }

  get now(): number {
    return this.startMs + this.#passedMs;
  }

  async #invoke(
    task: string,
    aheadMs: number,
    functionName: string,
    event: unknown,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    const isBeside = this.#rules.isBeside?.(task, functionName);
    // What the commit does not have is today's.
    const program =
      (isBeside && this.#programs.get(nameBeside(functionName))) ||
      this.#programs.get(functionName);
    if (!program) throw new Error(`There is no function ${functionName}.`);
    const invocation = new Invocation(task, aheadMs, this, environment);
    this.#invocations.add(invocation);
    const deadline = invocation.now() + timeoutMs;
    invocation.deadlineMs = deadline;
    const context = {
      awsRequestId: `${task}-${this.steps.length}`,
      functionName,
      getRemainingTimeInMillis: () => Math.max(0, deadline - invocation.now()),
    };
    const { promise: killed, reject: kill } = Promise.withResolvers<never>();
    invocation.kill = () => kill(new Killed(`${functionName} was killed.`));
    const { handler, giveBack } = program(invocation);
    try {
      const response = await Promise.race([handler(event, context), killed]);
      // What went wrong with it, or its clock, must not show in another schedule.
      if (invocation.isUnharmed && this.#passedMs < longestReusedMs) giveBack();
      return response;
    } finally {
      this.#freeze(invocation);
    }
  }

  /** Holds a call, or each of its parts, until it is chosen. */
  async hold(
    caller: Invocation,
    request: HttpRequest,
    signal?: AbortSignal,
  ): Promise<HttpResponse> {
    const call = readCall(request);
    if (this.isFree) return this.#services.perform(call);
    const [first = call, ...others] = partsOf(call);
    let response = await this.#hold(caller, first, signal);
    for (const part of others) {
      if (response.statusCode !== 200) break;
      const more = await this.#hold(caller, part, signal);
      response = more.statusCode === 200 ? joined(response, more) : more;
    }
    return response;
  }

  #hold(caller: Invocation, call: ServiceCall, signal?: AbortSignal): Promise<HttpResponse> {
    const { task } = caller;
    if (signal?.aborted) return Promise.reject(aborted());
    if (caller.isRefused(call)) return Promise.resolve(this.#services.refuse(call));
    const count = (this.#counts.get(task) ?? 0) + 1;
    this.#counts.set(task, count);
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    const onAbort = () => this.#float(held, aborted());
    const stopListening = () => signal?.removeEventListener('abort', onAbort);
    const name = `${task}${count}`;
    const held: Held = { name, task, call, caller, resolve, reject, stopListening };
    this.#held.push(held);
    signal?.addEventListener('abort', onAbort);
    // The instance was frozen when it had responded, and this was left behind.
    if (!this.#invocations.has(caller)) this.#float(held);
    return promise;
  }

  /** The call has lost its caller: from now on it is under way, if it can change anything. */
  #float(held: Held, error?: Error): void {
    if (!this.#release(held)) return;
    if (error) held.reject(error);
    if (!isWrite(held.call)) return;
    const { name, task, call } = held;
    const ignore = () => {};
    const noReader = { resolve: ignore, reject: ignore, stopListening: ignore };
    this.#held.push({ name: `${name}~`, task, call, ...noReader });
  }

  #release(held: Held): boolean {
    const index = this.#held.indexOf(held);
    if (index < 0) return false;
    held.stopListening();
    this.#held.splice(index, 1);
    return true;
  }

  #freeze(invocation: Invocation): void {
    if (!this.#invocations.delete(invocation)) return;
    invocation.timers.clear();
    for (const held of this.#held.filter(({ caller }) => caller === invocation)) this.#float(held);
  }

  /** Runs everything that is only computing. */
  async #compute(): Promise<void> {
    do await microtasks();
    while ([...this.#invocations].some((each) => each.fire(({ isPause }) => isPause)));
    for (const invocation of this.#invocations) {
      if (this.#held.some(({ caller }) => caller === invocation)) continue;
      throw new Error(`${invocation.task} waits for something that the schedule does not hold.`);
    }
  }

  #options(): Option[] {
    const used = this.steps.filter(({ ending, name }) => ending !== 'done' && !name.endsWith('~'));
    const mayFail = used.length < this.#rules.faults;
    const options = this.#held.map((held): Option => {
      const { name, task, call } = held;
      return { name, task, footprint: call.footprint, endings: this.#endings(held, mayFail) };
    });
    const isTime = this.#held.length === 0 || !this.#rules.passesWhenIdle;
    if (this.#rules.passMs && this.#passedMs === 0 && isTime) {
      options.push({ name: 'time', task: 'time', footprint: undefined, endings: ['done'] });
    }
    for (const { name } of options) {
      if (!this.#possibleSince.has(name)) this.#possibleSince.set(name, this.steps.length);
    }
    return options;
  }

  #endings(held: Held, mayFail: boolean): CallEnding[] {
    const { caller, call } = held;
    if (!caller) return ['done', 'dropped'];
    if (!mayFail) return ['done'];
    // It can happen at any time, so one of its calls is enough to say when.
    const isFirst = this.#held.find((other) => other.caller === caller) === held;
    return [
      'done',
      // A read that is lost is read again: that is a read at a later time.
      ...(isWrite(call) ? (['lost'] as const) : []),
      'refused',
      ...(call.input.Entries?.length > 1 ? (['partly'] as const) : []),
      ...(isFirst ? (['killed'] as const) : []),
      ...(isFirst && caller.timers.size > 0 ? (['late'] as const) : []),
    ];
  }

  async #take(
    option: Option,
    ending: CallEnding,
    start: (event: string) => string[],
  ): Promise<void> {
    const { name, task, footprint } = option;
    const held = this.#held.find((each) => each.name === name);
    const response = await this.#responseTo(held, ending);
    const starts: string[] = [];
    this.steps.push({
      name,
      task,
      // What did not happen touches nothing.
      footprint: ending === 'done' ? footprint : [],
      ending,
      possibleSince: this.#possibleSince.get(name) ?? 0,
      starts,
      call: held?.call,
      response,
    });
    if (!held) await this.#passTime();
    if (ending === 'done') starts.push(...start(held?.call.operation ?? 'time'));
    if (!held) return;
    const { caller, call } = held;
    if (caller && ending !== 'done') caller.isUnharmed = false;
    switch (ending) {
      case 'lost':
        return this.#float(held, hungUp());
      case 'killed':
        caller?.kill();
        return caller && this.#freeze(caller);
      case 'late':
        caller?.fire(({ isPause }) => !isPause);
        return;
    }
    this.#release(held);
    if (ending === 'refused') caller?.refuse(call);
    if (response) held.resolve(response);
  }

  async #responseTo(held: Held | undefined, ending: CallEnding): Promise<HttpResponse | undefined> {
    if (!held) return undefined;
    if (ending === 'done') return this.#services.perform(held.call);
    if (ending === 'refused') return this.#services.refuse(held.call);
    return ending === 'partly' ? this.#services.refuseFirst(held.call) : undefined;
  }

  /** Functions whose time is over respond, or are killed. */
  async #passTime(): Promise<void> {
    this.#passedMs += this.#rules.passMs ?? 0;
    for (const each of this.#invocations) {
      each.isUnharmed = false;
      each.fire(({ dueMs }) => dueMs <= each.now());
    }
    await microtasks();
    for (const each of this.#invocations) {
      if (each.deadlineMs > each.now()) continue;
      each.kill();
      this.#freeze(each);
    }
  }
}

/** One run of a function in an instance of its own. */
class Invocation implements Machine {
  readonly environment: Readonly<Record<string, string>>;
  readonly task: string;
  readonly timers = new Set<Timer>();
  deadlineMs = 0;
  isUnharmed = true;
  kill = () => {};
  readonly #schedule: Schedule;
  #aheadMs: number;
  #refused: { readonly input: unknown; repeats: number } | undefined;

  constructor(
    task: string,
    aheadMs: number,
    schedule: Schedule,
    environment: Readonly<Record<string, string>>,
  ) {
    this.task = task;
    this.environment = environment;
    this.#aheadMs = aheadMs;
    this.#schedule = schedule;
  }

  readonly now = () => this.#schedule.now + this.#aheadMs;

  readonly setTimer = (run: () => void, delayMs: number): object => {
    const timer = { dueMs: this.now() + delayMs, isPause: delayMs <= longestPauseMs, run };
    this.timers.add(timer);
    if (this.#schedule.isFree && timer.isPause) setImmediate(() => this.#end(timer));
    return Object.assign(timer, { ref: () => timer, unref: () => timer });
  };

  readonly clearTimer = (timer: object | undefined): void => {
    this.timers.delete(timer as Timer);
  };

  readonly call = (request: HttpRequest, signal?: AbortSignal) =>
    this.#schedule.hold(this, request, signal);

  /** Lets the first of these timers end, and its time with it. */
  fire(which: (timer: Timer) => boolean): boolean {
    const [first] = [...this.timers].filter(which).sort((a, b) => a.dueMs - b.dueMs);
    if (first) this.#end(first);
    return first !== undefined;
  }

  #end(timer: Timer): void {
    if (!this.timers.delete(timer)) return;
    this.#aheadMs += Math.max(0, timer.dueMs - this.now());
    timer.run();
  }

  /** A throttled call is rejected at each retry of the SDK, which retries no other rejection. */
  refuse({ input, ...call }: ServiceCall): void {
    this.#refused = { input, repeats: isThrottled(call) ? 2 : 0 };
  }

  isRefused({ input }: ServiceCall): boolean {
    if (!this.#refused?.repeats || !isDeepStrictEqual(input, this.#refused.input)) return false;
    this.#refused.repeats -= 1;
    return true;
  }
}

const hungUp = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
const aborted = () => Object.assign(new Error('Request aborted'), { name: 'AbortError' });
