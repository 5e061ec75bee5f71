import { randomBytes } from 'node:crypto';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { isTestWorkspace } from '../domain/caller.ts';
import { Token } from '../domain/token.ts';
import { documents, table } from './client.ts';
import { commitNew } from './commit.ts';
import { keys, sha256 } from './keys.ts';
import { read } from './read.ts';
import { type Item, scan } from './scan.ts';

/** Only the hash of a token is kept: whoever reads the table cannot act for anybody. */
export const tokenItem = (secret: string, token: Token) => ({
  ...keys.token(sha256(secret)),
  type: 'TOKEN',
  ...token,
  expires: Math.floor(Date.parse(token.expires_at) / 1000),
});

/** What is known of an access token, or undefined. */
export const findToken = async (secret: string): Promise<Token | undefined> => {
  const item = await read(keys.token(sha256(secret)));
  return item && Token.parse(item);
};

/**
 * Issues a token: 256 random bits, with a prefix by which secret scanners and people know it.
 *
 * @returns the token, which cannot be had again
 */
export const issueToken = async (token: Token): Promise<string> => {
  const mode = isTestWorkspace(token.workspace) ? 'test' : 'live';
  const secret = `wfp_${mode}_${randomBytes(32).toString('base64url')}`;
  await commitNew(tokenItem(secret, token));
  return secret;
};

/** A token as an operator sees it: known by the hash that is kept of it. */
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

/** The authorizer may still know the token for as long as it caches its answers. */
export const revokeToken = async (id: string): Promise<void> => {
  await documents.send(new DeleteCommand({ TableName: table(), Key: keys.token(id) }));
};

/** Reads a token's item. */
export const knownToken = (item: Item): KnownToken => ({
  id: String(item.pk).slice(keys.token('').pk.length),
  ...Token.parse(item),
});
