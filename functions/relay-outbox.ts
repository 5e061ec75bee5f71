import { relay } from './queue/outbox.ts';
import { streamReader } from './queue/stream-reader.ts';

/**
 * Sends the message for each new item that needs one (domain/outbox.ts). The stream carries what
 * was committed, all of it and nothing else, so none is forgotten; one may be sent twice, and
 * consumers expect it.
 */
export const handler = streamReader(relay);
