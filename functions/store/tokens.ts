import { Token, unnamedTokens } from '../domain/token.ts';
import { sha256 } from '../runtime/sha256.ts';
import { keys } from './keys.ts';
import { read } from './read.ts';

/**
 * Only the hash of a token is stored: whoever reads the table cannot act for anybody. The item stays
 * when the token has expired or is revoked, because its effects name it.
 */
export const tokenItem = (secret: string, token: Token) => ({
  ...keys.token(sha256(secret)),
  type: 'TOKEN',
  ...token,
});

/** The token that this secret is, or undefined. */
export const findToken = async (secret: string): Promise<Token | undefined> => {
  const item = await read(keys.token(sha256(secret)));
  return item && tokenIn(item);
};

/** Reads a token's item. */
export const tokenIn = (item: Record<string, unknown>): Token =>
  Token.parse({ ...item, id: tokenIdIn(item) });

/** The public id of a token's item. */
export const tokenIdIn = ({ pk, id = idOfUnnamed(String(pk)) }: Record<string, unknown>): string =>
  String(id);

/**
 * The id of a token that an earlier version issued without one: always the same, and derived from its
 * hash in one direction. It is a ULID of the year 1970, by which it is recognised.
 */
const idOfUnnamed = (pk: string) =>
  `${unnamedTokens}${sha256(`id of ${pk}`).slice(0, 16).toUpperCase()}`;
