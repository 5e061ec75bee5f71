import * as z from 'zod/mini';
import { DeliveryAttemptId, OfferId, SandboxId, WorkspaceId } from './identifiers.ts';

/** What travels through the queues: names of items, never their contents, which may have changed. */
export const ProvisionSandbox = z.object({ workspace: WorkspaceId, sandbox: SandboxId });
export type ProvisionSandbox = z.infer<typeof ProvisionSandbox>;

/** Asks the consumer to send the mail of a delivery attempt. */
export const DeliverOffer = z.object({
  workspace: WorkspaceId,
  offer: OfferId,
  delivery: DeliveryAttemptId,
});
export type DeliverOffer = z.infer<typeof DeliverOffer>;
