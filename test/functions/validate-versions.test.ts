import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import { documents, table } from '../../functions/store/client.ts';
import { bundleFunctions, functionNames } from '../../lib/bundles/bundles.ts';
import { LambdaFunction } from '../../lib/local/local-engine.ts';
import { serverOf } from '../support/servers.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { useFunctions } from '../support/use-functions.ts';

const { deployed } = await useFunctions();

const validator = 'validate-versions';
const released = functionNames.filter((name) => name !== validator);
const arnOf = (name: string) => `arn:aws:lambda:us-east-1:123456789012:function:${name}:2`;

type Version = Pick<LambdaFunction, 'invoke'>;
type Versions = ReadonlyMap<string, Version>;

const good: Versions = new Map(released.map((name) => [arnOf(name), deployed(name)]));

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

const lambda = (name: string, codeDirectory: string, environment: Record<string, string> = {}) =>
  new LambdaFunction(
    {
      name,
      codeDirectory,
      handler: 'index.handler',
      timeoutMs: 30_000,
      memoryMb: 1024,
      environment: { POWERTOOLS_SERVICE_NAME: name, ...environment },
    },
    () => {},
  );

let directoryOf: Awaited<ReturnType<typeof bundleFunctions>>;
beforeAll(async () => {
  directoryOf = await bundleFunctions();
});

/** The report to CodeDeploy about the release of these versions. */
const reported = async (versions: Versions, throttled = 0) => {
  const reports: unknown[] = [];
  const codeDeploy = await serverOf(async (request, response) => {
    reports.push([request.headers['x-amz-target'], await json(request)]);
    response.setHeader('Content-Type', 'application/x-amz-json-1.1').end('{}');
  });
  const hook = lambda(validator, directoryOf(validator), {
    POWERTOOLS_METRICS_NAMESPACE: 'WorkforcePayments/test',
    VERSIONS: JSON.stringify(Object.fromEntries(released.map((name) => [name, arnOf(name)]))),
    AWS_ENDPOINT_URL_LAMBDA: await lambdaOf(versions, throttled),
    AWS_ENDPOINT_URL_CODEDEPLOY: codeDeploy,
  });
  try {
    await hook.invoke({ DeploymentId: 'd-1', LifecycleEventHookExecutionId: 'hook-1' });
  } finally {
    await hook.stop();
  }
  return reports;
};

const withBroken = (name: string, version: Version): Versions =>
  new Map([...good, [arnOf(name), version]]);

const report = (status: string) => [
  [
    'CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus',
    { deploymentId: 'd-1', lifecycleEventHookExecutionId: 'hook-1', status },
  ],
];

test('reports that versions succeed which answer their probes, and writes nothing', async () => {
  const items = async () =>
    (await documents.send(new ScanCommand({ TableName: table(), ConsistentRead: true }))).Items;
  const before = await items();

  expect(await reported(good)).toEqual(report('Succeeded'));

  expect(await items()).toEqual(before);
});

test('waits for the concurrency that requests and other hooks use', async () => {
  expect(await reported(good, 3)).toEqual(report('Succeeded'));
});

test.each(['approve-payment-request', 'authorize', 'list-sandboxes', 'resend-offer'])(
  'a version of %s that cannot reach its table is not released',
  async (name) => {
    const broken = deployed(name, { TABLE_NAME: 'no-table' });
    expect(await reported(withBroken(name, broken))).toEqual(report('Failed'));
  },
);

test.each(released)('a version of %s that does not start is not released', async (name) => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'index.mjs'), `import 'missing'; export const handler = () => {};`);
  const broken = lambda(name, directory);
  expect(await reported(withBroken(name, broken))).toEqual(report('Failed'));
});
