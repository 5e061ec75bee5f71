import * as z from 'zod/mini';
import { AccountId, Timestamp, WorkspaceId } from './identifiers.ts';

/** What is kept of an access token; the token itself is kept nowhere. `scopes` as in OAuth 2.0. */
export const Token = z.object({
  workspace: WorkspaceId,
  account: AccountId,
  scopes: z.string(),
  expires_at: Timestamp,
  created: Timestamp,
});
export type Token = z.infer<typeof Token>;
