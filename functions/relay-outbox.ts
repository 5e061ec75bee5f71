import { relay } from './queue/relay.ts';
import { streamReader } from './queue/stream-reader.ts';

/** Sends the message for each new item that needs one (domain/outbox.ts). */
export const handler = streamReader(relay);
