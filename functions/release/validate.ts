import { randomUUID } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { environment } from '../runtime/environment.ts';
import { callVersion } from './call-version.ts';
import { probeOf } from './probes.ts';

const logger = new Logger();

/**
 * Calls every function's version that is about to be released, one after another, because a new
 * account runs only ten functions at once. Logs those that fail.
 */
export const validate = async (): Promise<'Succeeded' | 'Failed'> => {
  const versions: Record<string, string> = JSON.parse(environment('VERSIONS'));
  let status: 'Succeeded' | 'Failed' = 'Succeeded';
  for (const [functionName, version] of Object.entries(versions)) {
    try {
      await callVersion(version, probeOf(functionName, randomUUID()));
    } catch (error) {
      logger.error('probe', { version, error: error as Error });
      status = 'Failed';
    }
  }
  return status;
};
