/**
 * A token bucket, as API Gateway throttles a method ("Throttle requests to your REST APIs"): it
 * holds `burst` requests and is filled again at `ratePerSecond`.
 */
export class Throttle {
  readonly #ratePerSecond: number;
  readonly #burst: number;
  readonly #now: () => number;
  #tokens: number;
  #filledAtMs: number;

  constructor(ratePerSecond: number, burst: number, now = () => performance.now()) {
    this.#ratePerSecond = ratePerSecond;
    this.#burst = burst;
    this.#now = now;
    this.#tokens = burst;
    this.#filledAtMs = now();
  }

  /** Returns false when the request exceeds the limit. */
  admit(): boolean {
    const nowMs = this.#now();
    const refill = ((nowMs - this.#filledAtMs) / 1000) * this.#ratePerSecond;
    this.#tokens = Math.min(this.#burst, this.#tokens + refill);
    this.#filledAtMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
