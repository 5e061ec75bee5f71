/**
 * The clock of queues and functions: this machine's, ahead by as much as a test has advanced it, so
 * that a lease or 30 days can pass in no time. Functions run in threads; they share the memory.
 */
export class Clock {
  readonly ahead = new BigInt64Array(new SharedArrayBuffer(8));

  /** Milliseconds since the epoch. */
  now(): number {
    return Date.now() + Number(Atomics.load(this.ahead, 0));
  }

  advance(byMs: number): void {
    Atomics.add(this.ahead, 0, BigInt(byMs));
  }
}

/** Makes a thread's own `Date` tell the time of a clock that another thread may advance. */
export const followClock = (ahead: BigInt64Array): void => {
  const RealDate = Date;
  const now = () => RealDate.now() + Number(Atomics.load(ahead, 0));
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
    get: (target, property) => (property === 'now' ? now : Reflect.get(target, property)),
  });
};
