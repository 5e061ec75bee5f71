import * as z from 'zod/mini';
import { AccountId, Timestamp, WorkspaceId } from './identifiers.ts';
import { storedText } from './text.ts';

/** A company. It owns workspaces, and its managers approve for all of them. */
export const Account = z.object({ id: AccountId, name: storedText(1, 255), created: Timestamp });
export type Account = z.infer<typeof Account>;

/** What a token acts for: live (`wsp_`) or a sandbox's (`wsp_test_`), owned by one account. */
export const Workspace = z.object({
  id: WorkspaceId,
  account: AccountId,
  name: storedText(1, 255),
  created: Timestamp,
  /** Of a test workspace, the live workspace that has its sandbox. */
  owner: z.optional(WorkspaceId),
});
export type Workspace = z.infer<typeof Workspace>;
