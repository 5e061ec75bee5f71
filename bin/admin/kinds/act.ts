import * as z from 'zod/mini';
import type { Author } from '../../../functions/domain/author.ts';
import {
  ActId,
  DeliveryAttemptId,
  OfferId,
  SandboxId,
  Timestamp,
  WorkspaceId,
} from '../../../functions/domain/identifiers.ts';
import { newIdentity } from '../../../functions/runtime/identity.ts';
import { keys } from '../../../functions/store/keys.ts';
import { type Kind, made } from './kind.ts';

const text = z.optional(z.string());

/** A half of the key of an item: a name and an id. */
export const KeyText = z.string().check(z.regex(/^[A-Z_]+(#[\w-]{1,200})?$/));

/** An operator's act that leaves no other item, and the ids of the items that it concerned. */
const OperatorAct = z.object({
  id: ActId,
  what: z.enum(['message redriven', 'message discarded']),
  workspace: z.optional(WorkspaceId),
  sandbox: z.optional(SandboxId),
  offer: z.optional(OfferId),
  delivery: z.optional(DeliveryAttemptId),
  queue: z.string(),
  message_id: z.string(),
  /** Of a dead letter of the events: the item that it is about, by its keys. */
  partition: z.optional(KeyText),
  item: z.optional(KeyText),
  /** The request that the message came from. */
  request_id: text,
  created: Timestamp,
});
type OperatorAct = z.infer<typeof OperatorAct>;

/** In the partition of the item that it concerned, if that is known. */
const actKey = ({ id, partition, offer, workspace }: OperatorAct) => {
  if (partition) return keys.act(partition, id);
  if (offer) return keys.act(keys.offer(offer).pk, id);
  return keys.act(workspace ? keys.workspace(workspace).pk : `ACT#${id}`, id);
};

/** A new act as an item, in the partition of the item that it concerned. */
export const actItem = (done: Omit<OperatorAct, 'id' | 'created'>, author: Author) => {
  const { opaque, created } = newIdentity();
  const record = OperatorAct.parse({ id: `act_${opaque}`, created, ...done });
  return { ...actKey(record), type: act.type, ...record, author };
};

/** An operator's act. */
export const act: Kind = {
  type: 'ACT',
  noun: 'act',
  shape: OperatorAct.shape,
  key: (record) => actKey(OperatorAct.parse(record)),
  isAside: true,
  isCarried: true,
  trail: (item) => {
    const {
      what,
      id: _,
      type: __,
      pk: ___,
      sk: ____,
      created,
      author,
      imported,
      ...details
    } = item;
    return [made(item, String(what), details)];
  },
};
