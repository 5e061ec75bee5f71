import { randomInt } from 'node:crypto';
import { decodeTime, monotonicFactory } from 'ulid';

/** The identifier of a new item and its time of creation, from one reading of the clock. */
export interface Stamp {
  /** What follows the prefix of an identifier: a ULID, whose time is `created`. */
  readonly opaque: string;
  /** ISO 8601 in UTC with milliseconds. */
  readonly created: string;
}

/**
 * Makes stamps. The order of their identifiers is the order of `created`, and the order in
 * which one maker made them, within a millisecond too. With 80 random bits, no two are alike.
 *
 * When the clock steps back, stamps keep the latest time until the clock has caught up:
 * `created` is the time in the identifier, not that of the clock.
 */
export const stampMaker = () => {
  const nextUlid = monotonicFactory(random);
  return (nowMs = Date.now()): Stamp => {
    const opaque = nextUlid(nowMs);
    return { opaque, created: new Date(decodeTime(opaque)).toISOString() };
  };
};

/** As good as the WebCrypto that ulid would load for it; a digit of a ULID is one of 32. */
const random = () => randomInt(32) / 32;

/** The stamp of a new item. A process has one maker, so that its stamps are in order. */
export const newStamp = stampMaker();

/** The opaque part of a new identifier that needs no timestamp. */
export const newOpaque = () => newStamp().opaque;
