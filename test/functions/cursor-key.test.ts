import { json } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { routes } from '../../functions/domain/routes.ts';
import { openCursor, sealCursor } from '../../functions/http/cursor.ts';
import { requestTo } from '../support/function-events.ts';
import { serverOf } from '../support/servers.ts';
import { newSandboxes } from '../support/tenants.ts';
import { type Deployed, useFunctions } from '../support/use-functions.ts';
import { answerOf } from './answers.ts';

const { clock, deployed, tenant } = await useFunctions();

await newSandboxes(tenant.workspace, 3);

/** Secrets Manager with one secret, whose value a test sets. */
const secretsManager = async (values: string[]) => {
  const secret = { values, asked: [] as string[], failing: false };
  const url = await serverOf(async (request, response) => {
    const { VersionStage } = (await json(request)) as { VersionStage: string };
    secret.asked.push(VersionStage);
    response.setHeader('Content-Type', 'application/x-amz-json-1.1');
    // By a date five minutes off, the SDK corrects its clock and tries again.
    response.sendDate = false;
    const SecretString = secret.values[['AWSCURRENT', 'AWSPREVIOUS'].indexOf(VersionStage)];
    if (secret.failing) response.writeHead(500).end('{"__type":"InternalServiceError"}');
    else if (SecretString !== undefined) response.end(JSON.stringify({ SecretString }));
    else response.writeHead(400).end('{"__type":"ResourceNotFoundException"}');
  });
  const instance = () =>
    deployed(routes.listSandboxes.functionName, { AWS_ENDPOINT_URL_SECRETS_MANAGER: url });
  return { secret, instance, url };
};

const list = (lambda: Deployed, query: Record<string, string> = {}) =>
  answerOf(lambda, requestTo(routes.listSandboxes, { tenant, query: { limit: '1', ...query } }));

const cursorOf = async (lambda: Deployed): Promise<string> => (await list(lambda)).body.cursor;

const statusOf = async (lambda: Deployed, cursor: string) =>
  (await list(lambda, { cursor })).status;

describe('a rotation of the key', () => {
  test('invalidates no cursor: the previous key is accepted, by an instance that never had it', async () => {
    const { secret, instance } = await secretsManager(['one']);
    const cursor = await cursorOf(instance());
    secret.values = ['two', 'one'];
    const late = instance();
    expect(await statusOf(late, cursor)).toBe(200);
    expect(await statusOf(late, await cursorOf(late))).toBe(200);
  });

  test('that only another instance has is noticed with its first cursor', async () => {
    const { secret, instance } = await secretsManager(['one']);
    const early = instance();
    const cursor = await cursorOf(early);
    secret.values = ['two', 'one'];
    const newer = await cursorOf(instance());
    expect(await statusOf(early, newer)).toBe(200);
    expect(await statusOf(early, cursor)).toBe(200);
    expect(await statusOf(instance(), await cursorOf(early))).toBe(200);
  });

  test('is noticed within five minutes, by an instance that meets no unknown cursor', async () => {
    const { secret, instance } = await secretsManager(['one']);
    const early = instance();
    const cursor = await cursorOf(early);
    secret.values = ['three', 'two'];
    const between = await cursorOf((await secretsManager(['two'])).instance());
    clock.advance(5 * 60_000);
    expect(await statusOf(instance(), await cursorOf(early))).toBe(200);
    expect(await statusOf(early, cursor)).toBe(400);
    expect(await statusOf(early, between)).toBe(200);
  });
});

describe('the key is read', () => {
  test('every five minutes by an instance in use', async () => {
    const { secret, instance } = await secretsManager(['one']);
    const lambda = instance();
    for (let times = 1; times <= 3; times++) {
      await cursorOf(lambda);
      await cursorOf(lambda);
      expect(secret.asked).toEqual(Array.from({ length: times }, () => 'AWSCURRENT'));
      clock.advance(5 * 60_000);
    }
  });

  test('once a minute while it cannot be read, and an old one serves for an hour', async () => {
    const { secret, instance } = await secretsManager(['one']);
    const lambda = instance();
    const cursor = await cursorOf(lambda);
    clock.advance(59 * 60_000);
    secret.failing = true;
    expect(await statusOf(lambda, cursor)).toBe(200);
    const { length } = secret.asked;
    expect(await statusOf(lambda, cursor)).toBe(200);
    expect(secret.asked).toHaveLength(length);
    clock.advance(60_000);
    expect(await statusOf(lambda, cursor)).toBe(503);
    secret.failing = false;
    expect(await statusOf(lambda, cursor)).toBe(200);
  });

  test('again for unknown cursors, at most once a minute', async () => {
    const { secret, instance } = await secretsManager(['one']);
    const strange = await cursorOf((await secretsManager(['another'])).instance());
    const lambda = instance();
    const own = await cursorOf(lambda);
    for (let minute = 1; minute <= 2; minute++) {
      for (let times = 0; times < 3; times++) expect(await statusOf(lambda, strange)).toBe(400);
      expect(secret.asked).toEqual([
        'AWSCURRENT',
        ...Array.from({ length: minute }, () => ['AWSCURRENT', 'AWSPREVIOUS']).flat(),
      ]);
      clock.advance(60_000);
    }
    expect(await statusOf(lambda, own)).toBe(200);
  });

  test('again when it could not be read', async () => {
    const { secret, instance } = await secretsManager(['one']);
    const cursor = await cursorOf(instance());
    const lambda = instance();
    secret.failing = true;
    expect((await list(lambda)).status).toBe(503);
    expect(await statusOf(lambda, cursor)).toBe(503);
    secret.failing = false;
    expect(await statusOf(lambda, cursor)).toBe(200);
    secret.values = ['two', 'one'];
    const newer = await cursorOf(instance());
    secret.failing = true;
    expect(await statusOf(lambda, newer)).toBe(503);
    expect(await statusOf(lambda, cursor)).toBe(200);
    secret.failing = false;
    expect(await statusOf(lambda, newer)).toBe(200);
  });
});

test('a cursor with any bit of it changed is refused', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', (await secretsManager(['one'])).url);
  vi.stubEnv('CURSOR_SECRET_ARN', 'the key');
  const { workspace } = tenant;
  const position = { towards: 'older', from: 'sbx_01M81HV82EQZ205ZZXVGY05728' } as const;
  const cursor = await sealCursor(workspace, position);
  expect(await openCursor(workspace, cursor)).toEqual(position);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  for (const [index, character] of [...cursor].entries()) {
    for (const bit of [1, 2, 4, 8, 16, 32]) {
      const other = alphabet[alphabet.indexOf(character) ^ bit];
      const flipped = `${cursor.slice(0, index)}${other}${cursor.slice(index + 1)}`;
      const opened = openCursor(workspace, flipped);
      await expect(opened, flipped).rejects.toMatchObject({ code: 'invalid_cursor' });
    }
  }
});

test('a list with a cursor answers 500 without the reason when the secret has no value', async () => {
  const { instance } = await secretsManager(['']);
  const { status, body, text } = await list(instance());
  expect([status, body.code]).toEqual([500, 'internal_error']);
  expect(text).not.toContain('secret');
});
