import { isDeepStrictEqual } from 'node:util';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { timeLimits } from '../runtime/time-limits.ts';
import type { Probe } from './probes.ts';

const client = new LambdaClient({
  // Hooks run at once, one for each function, and requests meanwhile: Lambda may throttle a call.
  // Its tries then spread over about a minute.
  maxAttempts: 10,
  // A call takes as long as an instance's start and the function's timeout.
  requestHandler: { ...timeLimits, requestTimeout: 40_000 },
});

/**
 * Gives a version of a function its probe.
 *
 * @param version its ARN
 * @throws Error that says what it answered instead
 */
export const callVersion = async (version: string, { event, answers }: Probe): Promise<void> => {
  const { Payload } = await client.send(
    new InvokeCommand({ FunctionName: version, Payload: JSON.stringify(event) }),
  );
  const answered = Payload?.transformToString() ?? '';
  const result = JSON.parse(answered);
  const differs = Object.entries(answers).some(
    ([member, value]) => !isDeepStrictEqual(result?.[member], value),
  );
  if (differs) throw new Error(`${version} answered ${answered.slice(0, 1000)}`);
};
