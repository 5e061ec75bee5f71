import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { SandboxId } from '../domain/identifiers.ts';
import { Problem } from '../domain/problem.ts';
import type { Position } from '../store/sandboxes.ts';

const version = '1';
const sumBytes = 16;

/**
 * A page's LastEvaluatedKey as text: version, direction and sandbox, and a sum over them, the
 * list and the workspace. Anyone can compute the sum: it detects damage and a cursor of
 * another list or workspace. A forged cursor is a position in the forger's own list, like
 * `starting_after`. The sandbox that it names may be gone.
 */
export const sealCursor = (workspace: string, { towards, from }: Position): string => {
  const content = [version, towards, from];
  const sum = createHash('sha256')
    .update(JSON.stringify([...content, 'list-sandboxes', workspace]))
    .digest();
  return Buffer.concat([Buffer.from(content.join(' ')), sum.subarray(0, sumBytes)]).toString(
    'base64url',
  );
};

const Content = z.tuple([z.literal(version), z.enum(['older', 'newer']), SandboxId]);

/** @throws Problem `invalid_cursor` unless it is exactly what `sealCursor` returns */
export const openCursor = (workspace: string, cursor: string): Position => {
  const bytes = Buffer.from(cursor, 'base64url');
  const { data } = Content.safeParse(bytes.subarray(0, -sumBytes).toString().split(' '));
  if (data) {
    const [, towards, from] = data;
    if (sealCursor(workspace, { towards, from }) === cursor) return { towards, from };
  }
  const detail = 'Must be the cursor of an earlier page of this list.';
  throw new Problem('invalid_cursor', 'The cursor was not issued by this list.', {
    errors: [{ parameter: 'cursor', code: 'invalid_cursor', detail }],
  });
};
