import { inject } from 'vitest';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { type Caller, caller } from './http.ts';

/** A faulty service for a test file, with a client that checks every answer's shape. */
export interface FaultyStack extends FaultyService {
  readonly call: Caller;
}

export const startFaultyStack = async (
  environment: Record<string, string> = {},
): Promise<FaultyStack> => {
  const service = await startFaultyService(inject('stack').assemblyDirectory, environment);
  return { ...service, call: caller(service.stack.url) };
};
