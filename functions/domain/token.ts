import * as z from 'zod/mini';
import { AccountId, Timestamp, TokenId, WorkspaceId } from './identifiers.ts';

/** The beginning of the ids of tokens that earlier versions issued without one. */
export const unnamedTokens = `tok_${'0'.repeat(10)}`;

/** What is kept of an access token; the token itself is kept nowhere. `scopes` as in OAuth 2.0. */
export const Token = z.object({
  /** Its public name: who has the id cannot act for anybody. */
  id: TokenId,
  workspace: WorkspaceId,
  account: AccountId,
  scopes: z.string(),
  expires_at: Timestamp,
  created: Timestamp,
});
export type Token = z.infer<typeof Token>;
