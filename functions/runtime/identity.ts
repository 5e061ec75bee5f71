import { randomInt } from 'node:crypto';
import { decodeTime, monotonicFactory } from 'ulid';

/** What a new thing is known by, and when it was made: one reading of the clock says both. */
export interface Identity {
  /** What follows the prefix of an identifier: a ULID, whose time is `created`. */
  readonly opaque: string;
  /** ISO 8601 in UTC with milliseconds. */
  readonly created: string;
}

/**
 * Makes identities. The order of their identifiers is the order of `created`, and the order in which
 * one maker made them, within a millisecond too. The 80 random bits make two alike a non-event.
 *
 * When the clock steps back, time stands still here until the clock is where it was: `created` is
 * what the identifier says, not what the clock does.
 */
export const identityMaker = () => {
  const nextUlid = monotonicFactory(random);
  return (nowMs = Date.now()): Identity => {
    const opaque = nextUlid(nowMs);
    return { opaque, created: new Date(decodeTime(opaque)).toISOString() };
  };
};

/** As good as the WebCrypto that ulid would load for it; a digit of an ULID is one of 32. */
const random = () => randomInt(32) / 32;

/** The identity of a new thing. A process has one maker, so that what it makes is in order. */
export const newIdentity = identityMaker();

/** The opaque part of a new identifier that stands beside no time. */
export const newOpaque = () => newIdentity().opaque;
