import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadDemoData } from '../../../bin/local-run/demo-data.ts';
import {
  recordEnd,
  recordEvents,
  recordRedaction,
  recordRefusal,
} from '../../../bin/record-openapi/record-events.ts';
import { recordExchanges } from '../../../bin/record-openapi/record-exchanges.ts';
import { recorderOf } from '../../../bin/record-openapi/send-recorded.ts';
import { masked } from '../../../bin/record-openapi/unchanged.ts';
import { openEventTap } from '../../../bin/smoke/event-tap.ts';
import { demo } from '../../../functions/contract/demo.ts';
import type { OperationId, Parameter } from '../../../functions/contract/operation.ts';
import { sharedParameters } from '../../../functions/contract/parameters.ts';
import type { Event } from '../../../functions/domain/events.ts';
import { problemDetails } from '../../../functions/domain/problem.ts';
import { type Route, routes } from '../../../functions/domain/routes.ts';
import { asProblem } from '../../../functions/http/problem-responses.ts';
import { contract, resolved } from '../../../test/support/contract.ts';
import { call } from '../../../test/support/http.ts';
import { developmentTemplate, resourcesOf } from '../../../test/support/read-template.ts';
import { stack } from '../../../test/support/running-stack.ts';
import { warnOfSkipping } from '../../../test/support/skipping.ts';
import type { OperationObject } from '../document.ts';
import { type Exchange, exchanges, problemExample } from '../examples.ts';
import { operationIds } from '../operations.ts';
import { sampleToken, sampleUrl } from '../samples.ts';
import { eventExamples } from '../webhooks.ts';

/** The problems that only a firewall, too many requests or a fault of the service causes. */
const troubles = [
  'request_blocked',
  'rate_limited',
  'internal_error',
  'unavailable',
  'outcome_unknown',
];
const isTrouble = ({ name }: Exchange) => troubles.includes(name);

// The events of what is recorded; those of other tests come too.
const tap = await openEventTap(String(stack.outputs.EventBusArn), 'examples');
afterAll(() => tap.close());

let responded: Exchange[];
beforeAll(async () => {
  await loadDemoData();
  responded = await recordExchanges(recorderOf(stack.url));
});

test('the service still responds as the examples say; else run `npm run openapi -- --record`', () => {
  expect(masked(responded)).toEqual(masked(exchanges.filter((each) => !isTrouble(each))));
});

test('the service still publishes what the examples of events say', async () => {
  const published: Event[] = [];
  const received = async () => {
    published.push(...(await tap.receive()));
    return published;
  };
  const refused = await recordRefusal(String(stack.outputs.ImportQueueUrl));
  const named = [responded, await recordRedaction(), await recordEnd(), refused];
  expect(masked(await recordEvents(named, received))).toEqual(masked(eventExamples));
});

/** Calls an operation with the first example of its body and these parameters. */
const callWith = (operation: OperationId, given: (parameter: Parameter) => unknown) => {
  const { path, method }: Route = routes[operation];
  const { parameters, requestBody } = operationAt(path, method);
  const values = parameters
    .map(resolved)
    .map((parameter) => ({ ...parameter, value: given(parameter) }))
    .filter(({ value }) => value !== undefined);
  const allIn = (place: Parameter['in']) =>
    values
      .filter((each) => each.in === place)
      .map(({ name, value }): [string, string] => [name, String(value)]);
  const filled = allIn('path').reduce(
    (url, [name, value]) => url.replace(`{${name}}`, `${value}`),
    path,
  );
  const [body] = Object.values(requestBody?.content['application/json']?.examples ?? {});
  return call(method, `${filled}?${new URLSearchParams(allIn('query'))}`, {
    token: demo.tokens.live,
    headers: Object.fromEntries(allIn('header')),
    body: body?.value,
  });
};

const operationAt = (path: string, method: string): OperationObject =>
  contract.paths[path]?.[method.toLowerCase()] as OperationObject;

test.each(operationIds)('%s succeeds for a tool that sends every example', async (operation) => {
  const { status, body } = await callWith(operation, ({ example }) => example);
  expect([status, body]).toEqual([routes[operation].status, expect.anything()]);
});

const run = promisify(execFile);
const noCurl = spawnSync('curl', ['--version']).error && 'There is no curl on this machine.';
warnOfSkipping('The curl samples are', noCurl);

describe('a curl sample of the document, with host, token and key replaced,', () => {
  const sampleOf = (operation: OperationId) => {
    const { path, method } = routes[operation];
    const samples = operationAt(path, method)['x-codeSamples'];
    const source = samples.find(({ lang }) => lang === 'shell')?.source ?? '';
    return source
      .replaceAll(sampleUrl, stack.url)
      .replaceAll(sampleToken, demo.tokens.live)
      .replaceAll(String(sharedParameters.IdempotencyKey.example), randomUUID());
  };

  test.skipIf(noCurl).each(operationIds)('runs: %s', async (operation) => {
    const { stdout } = await run('sh', ['-c', sampleOf(operation)]);
    expect(stdout).toMatch(new RegExp(`^HTTP/1.1 ${routes[operation].status} `));
  });
});

const links = operationIds.flatMap((operation) => {
  const { path, method, status } = routes[operation];
  const found = operationAt(path, method).responses[status]?.links ?? {};
  return Object.entries(found).map(([name, link]) => ({ operation, name, ...link }));
});

test.each(links)('$operation leads to $operationId by the link $name', async (link) => {
  const from = responded.find(
    ({ operation, response }) => operation === link.operation && response.status < 400,
  );
  const body = from?.response.body as Record<string, unknown>;
  const values = Object.entries(link.parameters).map(([name, expression]) => {
    const [, member = ''] = /^\$response\.body#\/(\w+)$/.exec(expression) ?? [];
    return [name, body[member]];
  });
  const given: Record<string, unknown> = Object.fromEntries(values);
  expect(values.every(([, value]) => typeof value === 'string')).toBe(true);

  const { status } = await callWith(link.operationId, ({ name, required, example }) =>
    name in given ? given[name] : required ? example : undefined,
  );

  expect(status).toBe(routes[link.operationId].status);
});

test.each([
  ['request_blocked', 'WAF_FILTERED'],
  ['rate_limited', 'THROTTLED'],
  ['internal_error', 'DEFAULT_5XX'],
  ['outcome_unknown', 'INTEGRATION_TIMEOUT'],
] as const)('%s is what the gateway responds by itself', (code, type) => {
  const response = resourcesOf(developmentTemplate(), 'AWS::ApiGateway::GatewayResponse')
    .map(([, { Properties }]) => Properties)
    .find(({ ResponseType }) => ResponseType === type);
  const template = JSON.parse(response?.ResponseTemplates['application/json']);
  const { body } = problemExample('listSandboxes', code).response;
  expect(body).toEqual({ ...template, request_id: (body as { request_id: string }).request_id });
});

test('unavailable is what a function responds when the table does not', () => {
  const timeout = Object.assign(new Error('No response.'), { name: 'TimeoutError' });
  const { code, message } = asProblem(timeout);
  const { body } = problemExample('listSandboxes', 'unavailable').response;
  expect(masked(body)).toEqual(masked(problemDetails(code, message, crypto.randomUUID())));
});
