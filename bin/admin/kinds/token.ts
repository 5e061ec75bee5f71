import * as z from 'zod/mini';
import { Token } from '../../../functions/domain/token.ts';
import { keys } from '../../../functions/store/keys.ts';
import { sha256Form } from './claim.ts';
import { acted, type Kind, made } from './kind.ts';

/** An access token, of which only the hash is kept. */
export const token: Kind = {
  type: 'TOKEN',
  noun: 'token',
  shape: { hash: z.string().check(z.regex(sha256Form)), ...Token.shape },
  key: ({ hash }) => keys.token(String(hash)),
  keyMembers: ({ pk }) => ({ hash: pk.slice(keys.token('').pk.length) }),
  isSecret: true,
  changing: ['revoked'],
  acts: ['revoked'],
  later: (item, { revoked }) => (item.revoked || !revoked ? item : { ...item, revoked }),
  // It may have been revoked since.
  restored: ({ revoked }, by, now) => ({ revoked: revoked ?? (now ? now.revoked : by) }),
  lost: ({ id, workspace }) => `The token ${id} of ${workspace} is lost: issue another one.`,
  trail: (item) => [
    made(item, 'token issued', { name: item.name, workspace: item.workspace }),
    ...acted(item, 'token revoked', item.revoked),
  ],
};
