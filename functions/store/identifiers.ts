import { ulid } from 'ulid';

/**
 * The opaque part of a new identifier: a ULID, so that the order of identifiers is the order of
 * creation, to the millisecond, and the 80 random bits after it make two alike a non-event.
 */
export const newOpaque = () => ulid();
