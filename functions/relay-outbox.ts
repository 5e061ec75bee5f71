import { relay } from './stream/relay.ts';
import { streamReader } from './stream/stream-reader.ts';

/** Sends the message for each new item that needs one (domain/outbox.ts). */
export const handler = streamReader(relay);
