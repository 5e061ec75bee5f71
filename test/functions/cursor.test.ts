import fc from 'fast-check';
import { expect, test } from 'vitest';
import { routes } from '../../functions/domain/routes.ts';
import { sealCursor } from '../../functions/http/cursor.ts';
import type { Position } from '../../functions/store/sandboxes.ts';
import { newSandboxes } from '../support/tenants.ts';
import { useFunctions } from '../support/use-functions.ts';
import { responseOf } from './responses.ts';

const { deployed, tenant } = await useFunctions();
const lambda = deployed(routes.listSandboxes.functionName);
const [oldest] = await newSandboxes(tenant.workspace, 3);

const list = (query: Record<string, string> = {}) =>
  responseOf(lambda, routes.listSandboxes, { tenant, query: { limit: '1', ...query } });

const codeOf = async (cursor: string) => (await list({ cursor })).body.code;

test('a cursor with any bit of it changed is refused', async () => {
  const { cursor } = (await list()).body;
  const bytes = Buffer.from(cursor, 'base64url');
  expect(Buffer.from(bytes).toString('base64url')).toBe(cursor);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(await codeOf(flipped.toString('base64url')), `bit ${bit}`).toBe('invalid_cursor');
  }
});

/** A cursor with a correct sum. */
const forged = (towards: string, from: string) =>
  sealCursor(tenant.workspace, { towards, from } as Position);

test('a forged cursor is a position in its own list', async () => {
  const { status, body } = await list({ cursor: forged('newer', `${oldest?.id}`) });
  expect([status, body.sandboxes.length]).toEqual([200, 1]);
});

const direction = fc.constantFrom('older', 'newer');
const id = fc.ulid().map((opaque) => `sbx_${opaque}`);
const text = fc.string({ unit: 'binary', maxLength: 40 });
const impossible = fc.oneof(
  fc.tuple(fc.oneof(text, fc.constantFrom('Older', 'newest', '1 older', 'older older')), id),
  fc.tuple(direction, text),
  fc
    .tuple(direction, fc.nat(29), id)
    .map(([towards, length, id]) => [towards, id.slice(0, length)]),
  fc.tuple(direction, id, text).map(([towards, id, more]) => [towards, `${id} ${more}`]),
  fc.tuple(direction, id).map(([towards, id]) => [towards, `${id}\n`]),
  fc.tuple(direction, id).map(([towards, id]) => [towards, id.replace('sbx_', 'ptr_')]),
);

test('a cursor with a correct sum and an impossible direction, id or length is refused', () =>
  fc.assert(
    fc.asyncProperty(impossible, async ([towards = '', from = '']) => {
      expect(await codeOf(forged(towards, from))).toBe('invalid_cursor');
    }),
    { numRuns: 500 },
  ));
