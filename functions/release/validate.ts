import { randomUUID } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { environment } from '../runtime/environment.ts';
import { callVersion } from './call-version.ts';
import { probeOf } from './probes.ts';

const logger = new Logger();

/** Calls every function's version that is about to be released, and logs those that fail. */
export const validate = async (): Promise<'Succeeded' | 'Failed'> => {
  const versions: Record<string, string> = JSON.parse(environment('VERSIONS'));
  const calls = Object.entries(versions).map(async ([functionName, version]) => {
    try {
      await callVersion(version, probeOf(functionName, randomUUID()));
      return true;
    } catch (error) {
      logger.error('probe', { version, error: error as Error });
      return false;
    }
  });
  return (await Promise.all(calls)).every(Boolean) ? 'Succeeded' : 'Failed';
};
