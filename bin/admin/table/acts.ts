import * as z from 'zod/mini';
import { Act, type Author } from '../../../functions/domain/author.ts';
import { ActId, Timestamp } from '../../../functions/domain/identifiers.ts';
import { newIdentity } from '../../../functions/runtime/identity.ts';
import { keys } from '../../../functions/store/keys.ts';

const text = z.optional(z.string());

/** An operator's act that leaves no other item, and the ids of the items that it concerned. */
export const OperatorAct = z.object({
  id: ActId,
  what: z.enum(['message redriven', 'message discarded', 'manager removed']),
  workspace: text,
  sandbox: text,
  offer: text,
  delivery: text,
  account: text,
  manager: text,
  queue: text,
  message_id: text,
  /** Of a dead letter of the events: the item that it is about, by its keys. */
  partition: text,
  item: text,
  /** The request that the message came from. */
  request_id: text,
  /** Who had added the manager, whose item is gone. */
  added: z.optional(Act),
  created: Timestamp,
});
type OperatorAct = z.infer<typeof OperatorAct>;

/** The key of an act: in the partition of the item that it concerned, if that is known. */
export const actKey = ({ id, partition, offer, account, workspace }: OperatorAct) => {
  if (partition) return keys.act(partition, id);
  if (offer) return keys.act(keys.offer(offer).pk, id);
  if (account) return keys.act(keys.account(account).pk, id);
  return keys.act(workspace ? keys.workspace(workspace).pk : `ACT#${id}`, id);
};

/** A new act as an item, in the partition of the item that it concerned. */
export const actItem = (act: Omit<OperatorAct, 'id' | 'created'>, author: Author) => {
  const { opaque, created } = newIdentity();
  const done = OperatorAct.parse({ id: `act_${opaque}`, created, ...act });
  return { ...actKey(done), type: 'ACT', ...done, author };
};
