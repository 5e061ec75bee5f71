import { newAuthor } from './author.ts';
import type { MessageRefused } from './message-refused.ts';
import { RecordMessage, recordIds } from './record.ts';

/** Its message as SQS gives it, without the session of the sender; `hash` names this refusal. */
interface Sending {
  readonly hash: string;
  readonly id: string;
  readonly sender: string | undefined;
  readonly sent: string;
}

/**
 * What is published of a refused message, in the form of an item, although the table has none. It is
 * the same each time that the message is refused for the same reasons.
 */
export const newRefusal = (
  input: unknown,
  summary: MessageRefused['summary'],
  { hash, id, sender, sent }: Sending,
) => {
  const { workspace, ...ids } = recordIds(input, id);
  const message = Object(input);
  const kinds = (['payment_request', 'offer'] as const).filter((name) => name in message);
  const kind = kinds.length === 1 ? kinds[0] : undefined;
  return {
    id: hash,
    workspace,
    kind,
    record: kind && ids[kind],
    version: RecordMessage.shape.version.safeParse(message.version).data,
    ...summary,
    author: newAuthor(`sender:${sender}`, id),
    created: sent,
  };
};
