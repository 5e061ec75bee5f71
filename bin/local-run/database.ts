import { checkJava, startDynamodb } from '../../lib/local/local-engine.ts';

/**
 * Fails before anything slow begins if there will be no database.
 *
 * @param url of the one that runs already, if one is to be used
 * @throws Error with a sentence
 */
export const requireDatabase = async (url: URL | undefined): Promise<void> => {
  if (!url) return checkJava();
  try {
    await fetch(url.origin, { signal: AbortSignal.timeout(10_000) });
  } catch (error) {
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    throw new Error(
      `No DynamoDB responds at ${url.origin} (${code ?? message}). Start it, or leave out --dynamodb to have one started.`,
    );
  }
};

/** Starts DynamoDB Local; `onLost` is called when it has ended by itself. */
export const startDatabase = (onLost: (reason: string) => void) => {
  const starting = startDynamodb();
  // The engine, which waits for the database, reports that it cannot start.
  starting.then(({ lost }) => lost).then(onLost, () => {});
  return starting;
};
