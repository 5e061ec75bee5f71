import { publishItems } from './stream/publish.ts';
import { streamReader } from './stream/stream-reader.ts';

/** Publishes an event of each approval, sandbox, delivery attempt and redaction, and its end. */
export const handler = streamReader(publishItems);
