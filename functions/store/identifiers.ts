import { randomInt } from 'node:crypto';
import { ulid } from 'ulid';

/**
 * The opaque part of a new identifier: a ULID, so that the order of identifiers is the order of
 * creation, to the millisecond, and the 80 random bits after it make two alike a non-event.
 */
export const newOpaque = () => ulid(undefined, random);

/** As good as the WebCrypto that ulid would load for it; a digit of an ULID is one of 32. */
const random = () => randomInt(32) / 32;
