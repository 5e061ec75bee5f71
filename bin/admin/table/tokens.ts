import { randomBytes } from 'node:crypto';
import { type Act, type Author, authorIn } from '../../../functions/domain/author.ts';
import { isTestWorkspace } from '../../../functions/domain/caller.ts';
import { Token } from '../../../functions/domain/token.ts';
import { tokenPrefix, tokenText } from '../../../functions/domain/token-form.ts';
import { sha256 } from '../../../functions/runtime/sha256.ts';
import { commitNew } from '../../../functions/store/commit.ts';
import { keys } from '../../../functions/store/keys.ts';
import { readItem } from '../../../functions/store/read.ts';
import { tokenItem } from '../../../functions/store/tokens.ts';
import { type Key, keyOf, scanType } from './scan.ts';
import { rewrite } from './write.ts';

/**
 * Issues a token.
 *
 * @returns the token, which is stored nowhere
 */
export const issueToken = async (
  token: Token,
  author: Author,
  secret = newSecret(token),
): Promise<string> => {
  await commitNew({ ...tokenItem(secret, token), author });
  return secret;
};

/** Another token of a workspace, which is not issued yet. */
export const newSecret = ({ workspace }: Pick<Token, 'workspace'>): string =>
  tokenText(isTestWorkspace(workspace) ? 'test' : 'live', randomBytes(32).toString('base64url'));

/** A token with its author, by its id or the token itself. By id it takes a scan. */
export const findTokenItem = async (given: string) => {
  const isSecret = given.startsWith(tokenPrefix);
  const items = isSecret
    ? [await readItem(keys.token(sha256(given)))]
    : scanType('TOKEN', { id: given });
  for await (const item of items) {
    if (!item) continue;
    return { key: keyOf(item), token: { ...Token.parse(item), author: authorIn(item) } };
  }
  return undefined;
};

/**
 * Revokes a token. The authorizer may accept it for as long as its response is cached. Its item
 * stays.
 *
 * @returns whether this call revoked it; a token that was revoked before stays as it is
 */
export const revokeToken = async (key: Key, revoked: Act): Promise<boolean> => {
  const token = await readItem(key);
  return !!token && rewrite({ ...token, revoked: undefined }, { ...token, revoked });
};
