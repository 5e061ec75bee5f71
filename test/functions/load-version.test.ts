import { json } from 'node:stream/consumers';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, onTestFinished, test } from 'vitest';
import { documents, table } from '../../functions/store/client.ts';
import { bundleFunctions, functionNames } from '../../lib/bundles/bundles.ts';
import { LambdaFunction } from '../../lib/local/local-engine.ts';
import { serverOf } from '../support/servers.ts';
import { useFunctions } from '../support/use-functions.ts';
import { metricsIn } from './recorded-metrics.ts';

const loader = 'load-version';
const { deployed } = await useFunctions();
const directoryOf = await bundleFunctions();

/** Lambda, as far as the loader uses it. */
const lambdaOf = (invoked: string[], functionError?: string) =>
  serverOf(async (request, response) => {
    const [, , , name = ''] = (request.url ?? '').split('/');
    expect(await json(request)).toEqual({});
    invoked.push(decodeURIComponent(name));
    if (functionError) response.setHeader('X-Amz-Function-Error', functionError);
    response.end('{}');
  });

const version = 'arn:aws:lambda:us-east-1:123456789012:function:authorize:2';

/** What CloudFormation is answered about a version, and what was invoked meanwhile. */
const answered = async (RequestType: 'Create' | 'Update' | 'Delete', functionError?: string) => {
  const [invoked, answers]: [string[], unknown[]] = [[], []];
  const ResponseURL = await serverOf(async (request, response) => {
    answers.push([request.method, await json(request)]);
    response.end();
  });
  const settings = {
    name: loader,
    codeDirectory: directoryOf(loader),
    handler: 'index.handler',
    timeoutMs: 300_000,
    memoryMb: 1024,
    environment: {
      AWS_ENDPOINT_URL_LAMBDA: await lambdaOf(invoked, functionError),
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
    },
  };
  const lambda = new LambdaFunction(settings, () => {});
  onTestFinished(() => lambda.stop());
  const ids = { StackId: 'stack', RequestId: 'request', LogicalResourceId: 'Loaded' };
  const ResourceProperties = { ServiceToken: 'x', Version: version };
  await lambda.invoke({ RequestType, ResponseURL, ...ids, ResourceProperties });
  return { invoked, answers, ids: { ...ids, PhysicalResourceId: 'loaded' } };
};

test.each(['Create', 'Update'] as const)(
  'loads a version with an empty event, and says that it starts: %s',
  async (type) => {
    const { invoked, answers, ids } = await answered(type);
    expect([invoked, answers]).toEqual([[version], [['PUT', { ...ids, Status: 'SUCCESS' }]]]);
  },
);

test('stops a deployment whose version does not start', async () => {
  const { answers, ids } = await answered('Update', 'Unhandled');
  const Reason = `${version} cannot start: see its log.`;
  expect(answers).toEqual([['PUT', { ...ids, Status: 'FAILED', Reason }]]);
});

test('lets a stack go without loading anything', async () => {
  const { invoked, answers, ids } = await answered('Delete');
  expect([invoked, answers]).toEqual([[], [['PUT', { ...ids, Status: 'SUCCESS' }]]]);
});

test.each(functionNames.filter((name) => name !== loader))(
  '%s does nothing for an empty event',
  async (name) => {
    const items = async () =>
      (await documents.send(new ScanCommand({ TableName: table(), ConsistentRead: true }))).Items;
    const before = await items();
    const lambda = deployed(name);

    await lambda.invoke({});

    expect(await items()).toEqual(before);
    expect(metricsIn(lambda.log)).toEqual([]);
  },
);
