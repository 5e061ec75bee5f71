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
