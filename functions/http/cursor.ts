import { createHmac, timingSafeEqual } from 'node:crypto';
import { Problem } from '../domain/problem.ts';
import type { Position } from '../store/sandboxes.ts';
import { cursorKeys, rereadCursorKeys } from './cursor-keys.ts';

const version = 1;

/**
 * A page's LastEvaluatedKey as text: direction and sort key, authenticated together with the
 * version, the operation and the workspace. So it cannot be altered, used in another workspace
 * or endpoint, or outlive its format; the item that it names may be gone.
 */
export const sealCursor = async (workspace: string, position: Position): Promise<string> => {
  const content = `${position.towards} ${position.from}`;
  const [current] = await cursorKeys();
  return Buffer.concat([mac(current, workspace, content), Buffer.from(content)]).toString(
    'base64url',
  );
};

/** @throws Problem `invalid_cursor` */
export const openCursor = async (workspace: string, cursor: string): Promise<Position> => {
  const bytes = Buffer.from(cursor, 'base64url');
  const content = bytes.subarray(macBytes).toString();
  const isOurs = (keys: readonly string[]) =>
    keys.some((key) => timingSafeEqual(bytes.subarray(0, macBytes), mac(key, workspace, content)));
  // Base64 has spellings that decode alike; only one of them was issued.
  const canonical = bytes.toString('base64url') === cursor && bytes.length > macBytes;
  if (!canonical || !(isOurs(await cursorKeys()) || isOurs(await rereadCursorKeys()))) {
    throw new Problem('invalid_cursor', 'The cursor was not issued by this list.', [
      {
        parameter: 'cursor',
        code: 'invalid_cursor',
        detail: 'Must be the cursor of an earlier page of this list.',
      },
    ]);
  }
  const [towards, from] = content.split(' ') as [Position['towards'], string];
  return { towards, from };
};

const macBytes = 32;

const mac = (key: string, workspace: string, content: string) =>
  createHmac('sha256', key)
    .update(JSON.stringify([version, 'list-sandboxes', workspace, content]))
    .digest();
