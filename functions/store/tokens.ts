import { Token } from '../domain/token.ts';
import { sha256 } from '../runtime/sha256.ts';
import { keys } from './keys.ts';
import { readItem } from './read.ts';

/**
 * Only the hash of a token is stored: access to the table does not give access to the API. The item
 * stays when the token has expired or is revoked, because its effects name it.
 */
export const tokenItem = (secret: string, token: Token) => ({
  ...keys.token(sha256(secret)),
  type: 'TOKEN',
  ...token,
});

export const findToken = async (secret: string): Promise<Token | undefined> => {
  const item = await readItem(keys.token(sha256(secret)));
  return item && Token.parse(item);
};
