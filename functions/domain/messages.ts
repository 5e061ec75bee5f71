import * as z from 'zod/mini';
import { Author } from './author.ts';
import { DeliveryAttemptId, OfferId, SandboxId, WorkspaceId } from './identifiers.ts';

/**
 * The messages in the queues: names of items, never their contents, which may have changed, and the
 * request that a message comes from.
 */
export const ProvisionSandbox = z.object({
  request_id: Author.shape.request,
  workspace: WorkspaceId,
  sandbox: SandboxId,
});
export type ProvisionSandbox = z.infer<typeof ProvisionSandbox>;

/** The message by which the consumer sends the mail of a delivery attempt. */
export const DeliverOffer = z.object({
  request_id: Author.shape.request,
  workspace: WorkspaceId,
  offer: OfferId,
  delivery: DeliveryAttemptId,
});
export type DeliverOffer = z.infer<typeof DeliverOffer>;
