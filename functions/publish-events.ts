import { publishItems } from './queue/publish.ts';
import { streamReader } from './queue/stream-reader.ts';

/**
 * Publishes an event for each approval, sandbox, delivery attempt and redaction, and for what
 * becomes of them.
 * The stream carries what was committed, so only committed changes are published, and all of them.
 */
export const handler = streamReader(publishItems);
