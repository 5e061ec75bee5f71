import { httpUrl } from '../http-url.ts';

const parse = httpUrl('It must be a URL, such as http://localhost:8000.');

/** Reads `--dynamodb`. */
export const databaseUrl = (text: string): string => parse(text).origin;

/**
 * Resolves when something answers there.
 *
 * @throws Error with a sentence when nothing does
 */
export const reachDatabase = async (url: string): Promise<void> => {
  try {
    await fetch(url, { signal: AbortSignal.timeout(10_000) });
  } catch (error) {
    const { hostname } = new URL(url);
    const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    throw new Error(
      code === 'ENOTFOUND' || code === 'EAI_AGAIN'
        ? `No DynamoDB answers at ${url}: the host ${hostname} is unknown.`
        : `No DynamoDB answers at ${url}. Start it, or leave out --dynamodb to have one started.`,
    );
  }
};
