import { json } from 'node:stream/consumers';
import { functionNames } from '../../lib/bundles/bundles.ts';
import type { LambdaFunction } from '../../lib/local/local-engine.ts';
import { serverOf } from './servers.ts';

/** The hook that CodeDeploy calls, and the functions whose versions it calls. */
export const validator = 'validate-versions';
export const released = functionNames.filter((name) => name !== validator);

export const arnOf = (name: string) => `arn:aws:lambda:us-east-1:123456789012:function:${name}:2`;

export type Version = Pick<LambdaFunction, 'invoke'>;
export type Versions = ReadonlyMap<string, Version>;

/** Lambda, as far as the hook uses it: it invokes these versions, one at a time, and throttles. */
const lambdaOf = (versions: Versions, throttled: number) => {
  let throttles = throttled;
  let running = false;
  return serverOf(async (request, response) => {
    const [, , , name = ''] = (request.url ?? '').split('/');
    if (running || throttles > 0) {
      throttles -= 1;
      response.setHeader('X-Amzn-ErrorType', 'TooManyRequestsException');
      response.writeHead(429).end('{"Reason":"ConcurrentInvocationLimitExceeded"}');
      return;
    }
    running = true;
    try {
      const result = await versions.get(decodeURIComponent(name))?.invoke(await json(request));
      response.end(JSON.stringify(result));
    } catch (error) {
      const { errorType, errorMessage } = error as { errorType: string; errorMessage: string };
      response.setHeader('X-Amz-Function-Error', 'Unhandled');
      response.end(JSON.stringify({ errorType, errorMessage }));
    } finally {
      running = false;
    }
  });
};

/**
 * The reports to CodeDeploy about the release of these versions.
 *
 * @param startHook gets the environment in which the hook finds them
 * @param throttled how many of its calls are rejected first
 */
export const reported = async (
  startHook: (environment: Record<string, string>) => Promise<Version>,
  versions: Versions,
  throttled = 0,
) => {
  const reports: unknown[] = [];
  const codeDeploy = await serverOf(async (request, response) => {
    reports.push([request.headers['x-amz-target'], await json(request)]);
    response.setHeader('Content-Type', 'application/x-amz-json-1.1').end('{}');
  });
  const hook = await startHook({
    POWERTOOLS_METRICS_NAMESPACE: 'WorkforcePayments/test',
    VERSIONS: JSON.stringify(Object.fromEntries(released.map((name) => [name, arnOf(name)]))),
    AWS_ENDPOINT_URL_LAMBDA: await lambdaOf(versions, throttled),
    AWS_ENDPOINT_URL_CODEDEPLOY: codeDeploy,
  });
  await hook.invoke({ DeploymentId: 'd-1', LifecycleEventHookExecutionId: 'hook-1' });
  return reports;
};

/** The one report of a hook that ended so. */
export const report = (status: 'Succeeded' | 'Failed') => [
  [
    'CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus',
    { deploymentId: 'd-1', lifecycleEventHookExecutionId: 'hook-1', status },
  ],
];
