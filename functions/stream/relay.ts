import { isTestWorkspace } from '../domain/caller.ts';
import { outbox, queueVariable } from '../domain/outbox.ts';
import { type OutgoingMessage, sendMessages } from '../queue/send.ts';
import { environment } from '../runtime/environment.ts';
import { keys } from '../store/keys.ts';
import { readItem } from '../store/read.ts';
import { logger } from '../telemetry/logger.ts';
import type { StreamedItem } from './stream-reader.ts';

/**
 * Sends the message of each new item, of none that is put back, and logs which request it is of.
 * The stream carries all that was committed. Consumers expect a message that is sent twice.
 *
 * @returns the places in the stream of the items whose message no queue has accepted
 */
export const relay = async (items: readonly StreamedItem[]): Promise<string[]> => {
  const created = items.filter(({ change }) => change === 'INSERT');
  const messages = await Promise.all(created.map(({ id, item }) => messageFor(item, id)));
  const failed = await sendMessages(messages);
  for (const { id, body } of messages) {
    if (!failed.includes(id)) logger.info('relayed', body);
  }
  return failed;
};

/** The message for an item, by the name that its sender gives it. */
export const messageFor = async (
  item: StreamedItem['item'],
  id: string,
): Promise<OutgoingMessage> => {
  const [queue, row] = Object.entries(outbox).find(([, { type }]) => type === item.type) ?? [];
  if (!queue || !row) throw new Error(`No message is sent for an item of type ${item.type}.`);
  const group = await groupOf(String(item.workspace));
  return { id, queueUrl: environment(queueVariable(queue)), body: row.message(item), group };
};

/**
 * Whose message it is: while a company has many under way, SQS delivers those of others first
 * (Amazon SQS Developer Guide, "How Amazon SQS fair queues work"). A test workspace counts as its
 * owner; where that cannot be read, the message is sent all the same.
 */
const groupOf = async (workspace: string): Promise<string> => {
  if (!isTestWorkspace(workspace)) return workspace;
  const item = await readItem(keys.workspace(workspace)).catch(() => undefined);
  return item?.owner ?? workspace;
};
