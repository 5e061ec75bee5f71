import { randomBytes } from 'node:crypto';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { Author } from '../../../functions/domain/author.ts';
import { isTestWorkspace } from '../../../functions/domain/caller.ts';
import type { Token } from '../../../functions/domain/token.ts';
import { tokenText } from '../../../functions/domain/token-form.ts';
import { documents, table } from '../../../functions/store/client.ts';
import { commitNew } from '../../../functions/store/commit.ts';
import { keys } from '../../../functions/store/keys.ts';
import { read } from '../../../functions/store/read.ts';
import { tokenIn, tokenItem } from '../../../functions/store/tokens.ts';
import { type Item, scan } from './scan.ts';

/**
 * Issues a token.
 *
 * @returns the token, which is stored nowhere
 */
export const issueToken = async (token: Token, author: Author): Promise<string> => {
  const mode = isTestWorkspace(token.workspace) ? 'test' : 'live';
  const secret = tokenText(mode, randomBytes(32).toString('base64url'));
  await commitNew({ ...tokenItem(secret, token), author });
  return secret;
};

/** A token as an operator sees it, identified by its stored hash. */
export interface KnownToken extends Token {
  /** SHA-256 of the token, lower-case hexadecimal. */
  readonly id: string;
}

/** The tokens whose id starts with these hexadecimal digits; by a scan, unless it is all 64. */
export const findTokens = async (idPrefix: string): Promise<KnownToken[]> => {
  if (idPrefix.length < 64) {
    const tokens = scan({
      FilterExpression: 'begins_with(pk, :pk)',
      ExpressionAttributeValues: { ':pk': keys.token(idPrefix).pk },
    });
    return Array.fromAsync(tokens, knownToken);
  }
  const item = await read(keys.token(idPrefix));
  return item ? [knownToken(item)] : [];
};

/** The authorizer may accept the token for as long as its answer is cached. */
export const revokeToken = async (id: string): Promise<void> => {
  await documents.send(new DeleteCommand({ TableName: table(), Key: keys.token(id) }));
};

/** Reads a token's item. */
export const knownToken = (item: Item): KnownToken => ({
  ...tokenIn(item),
  id: String(item.pk).slice(keys.token('').pk.length),
});
