import { Problem } from '../domain/problem.ts';
import type { ListSandboxes } from '../domain/sandbox.ts';
import { keys } from '../store/keys.ts';
import { readItem } from '../store/read.ts';
import type { Position } from '../store/sandboxes.ts';
import { openCursor } from './cursor.ts';

/** Where the requested page starts: after a cursor, or on one side of a sandbox. */
export const startOf = (
  workspace: string,
  { cursor, starting_after, ending_before }: ListSandboxes,
): Position | undefined => {
  if (cursor) return openCursor(workspace, cursor);
  if (starting_after) return { towards: 'older', from: starting_after };
  if (ending_before) return { towards: 'newer', from: ending_before };
  return undefined;
};

/**
 * Checks that the sandbox at which a page starts exists; a cursor needs none.
 *
 * @throws Problem `resource_missing`
 */
export const requireAnchor = async (
  workspace: string,
  { starting_after, ending_before }: ListSandboxes,
): Promise<void> => {
  const id = starting_after ?? ending_before;
  if (!id || (await readItem(keys.sandbox(workspace, id)))) return;
  const sentence = 'The list cannot start at a sandbox that this workspace does not have.';
  const parameter = starting_after ? 'starting_after' : 'ending_before';
  const detail = 'No such sandbox in this workspace.';
  throw new Problem('resource_missing', sentence, {
    errors: [{ parameter, code: 'resource_missing', detail }],
  });
};
