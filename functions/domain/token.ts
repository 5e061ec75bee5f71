import * as z from 'zod/mini';
import { Act } from './author.ts';
import { AccountId, Timestamp, TokenId, WorkspaceId } from './identifiers.ts';
import { storedText } from './text.ts';

/** What is kept of an access token; the token itself is kept nowhere. `scopes` as in OAuth 2.0. */
export const Token = z.object({
  /** Its public id, which grants no access. */
  id: TokenId,
  name: z.optional(storedText(1, 255)),
  workspace: WorkspaceId,
  account: AccountId,
  scopes: z.string(),
  expires_at: Timestamp,
  created: Timestamp,
  revoked: z.optional(Act),
});
export type Token = z.infer<typeof Token>;

const dayMs = 86_400_000;

/** Whether a token of more than 30 days ends within 14, so that its client needs another one. */
export const endsSoon = ({ created, expires_at }: Token): boolean => {
  const endsMs = Date.parse(expires_at);
  return endsMs - Date.now() < 14 * dayMs && endsMs - Date.parse(created) > 30 * dayMs;
};
