import { publishItems } from './queue/publish.ts';
import { streamReader } from './queue/stream-reader.ts';

/** Publishes an event of each approval, sandbox, delivery attempt and redaction, and its end. */
export const handler = streamReader(publishItems);
