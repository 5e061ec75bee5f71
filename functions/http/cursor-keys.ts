import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { environment } from '../runtime/environment.ts';
import { maxAttempts, timeLimits } from '../runtime/time-limits.ts';

const client = new SecretsManagerClient({
  maxAttempts,
  requestHandler: timeLimits,
});

/** The current key first. */
type Keys = readonly [string, ...string[]];

let known: Keys | undefined;
let readAtMs = 0;
/** When `cursorKeys` reads the current key again. */
let dueAtMs = 0;
let rereadAtMs = Number.NEGATIVE_INFINITY;

/** However many unknown cursors are sent, they cost one reading a minute. */
const freshForMs = 60_000;

/** Within this time after a rotation every instance uses the new key. */
const knownForMs = 5 * 60_000;

/** While the secret cannot be read, lists keep working with the known keys, but not without end. */
const knownAtMostMs = 60 * 60_000;

/** The keys that authenticate cursors, as this function instance has read them. */
export const cursorKeys = async (): Promise<Keys> => {
  if (known && Date.now() < dueAtMs) return known;
  try {
    const current = await readVersion('AWSCURRENT');
    if (known?.[0] === current) return keep(known);
    // The previous key has changed too: the next cursor that the current one does not verify reads
    // both.
    rereadAtMs = Number.NEGATIVE_INFINITY;
    return keep([current]);
  } catch (error) {
    if (!known || Date.now() >= readAtMs + knownAtMostMs) throw error;
    dueAtMs = Math.min(Date.now() + freshForMs, readAtMs + knownAtMostMs);
    return known;
  }
};

/**
 * The keys for a cursor that no known key verifies: a rotation must not invalidate the cursors in
 * use, and another instance may know a key that this one does not.
 */
export const rereadCursorKeys = async (): Promise<Keys> => {
  if (known && Date.now() - rereadAtMs < freshForMs) return known;
  // In this order, a rotation between the two cannot hide the key that was current before it.
  const current = await readVersion('AWSCURRENT');
  const previous = await readVersion('AWSPREVIOUS').catch((error) => {
    // A secret that was never rotated has no previous version.
    if (!(error instanceof ResourceNotFoundException)) throw error;
  });
  rereadAtMs = Date.now();
  return keep(previous ? [current, previous] : [current]);
};

const keep = (keys: Keys): Keys => {
  known = keys;
  readAtMs = Date.now();
  dueAtMs = readAtMs + knownForMs;
  return keys;
};

const readVersion = async (stage: 'AWSCURRENT' | 'AWSPREVIOUS'): Promise<string> => {
  const { SecretString } = await client.send(
    new GetSecretValueCommand({ SecretId: environment('CURSOR_SECRET_ARN'), VersionStage: stage }),
  );
  if (!SecretString) throw new Error('The cursor secret has no value.');
  return SecretString;
};
