import { randomBytes } from 'node:crypto';
import { isTestWorkspace } from '../domain/caller.ts';
import { Token } from '../domain/token.ts';
import { commitNew } from './commit.ts';
import { keys, sha256 } from './keys.ts';
import { read } from './read.ts';

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
