import { describe, expect, test } from 'vitest';
import { loadDemoData } from '../../bin/demo-data.ts';
import { recordExchanges } from '../../bin/openapi/record-exchanges.ts';
import { type ProblemCode, problemDetails } from '../../functions/domain/problem.ts';
import { asProblem } from '../../functions/http/problem-responses.ts';
import { type Exchange, exchanges, problemExample } from '../../lib/openapi/examples.ts';
import { deviations } from '../support/contract.ts';
import { stack } from '../support/stack.ts';
import { developmentTemplate, resourcesOf } from '../support/synthesized.ts';

/** The same for every recording: identifiers, times and cursors by their kind. */
const masked = (recorded: unknown) =>
  JSON.parse(
    JSON.stringify(recorded)
      .replaceAll(/[0-7][0-9A-HJKMNP-TV-Z]{25}/g, 'ULID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, 'UUID')
      .replaceAll(/crowd-[\da-f]+/g, 'CROWD')
      .replaceAll(/(cursor(?:=|":"))[\w-]{40,}/g, '$1CURSOR'),
  );

/** What only a firewall, too many requests or a fault of ours brings about. */
const troubles = ['request_blocked', 'rate_limited', 'internal_error', 'unavailable'];
const isTrouble = ({ name }: Exchange) => troubles.includes(name);

test('the service still answers as the examples say; else run `npm run openapi -- --record`', async () => {
  await loadDemoData();
  const answered = await recordExchanges(stack.url);
  expect(masked(answered)).toEqual(masked(exchanges.filter((each) => !isTrouble(each))));
});

test.each([
  ['request_blocked', 'WAF_FILTERED'],
  ['rate_limited', 'THROTTLED'],
  ['internal_error', 'DEFAULT_5XX'],
] as const)('%s is what the gateway answers by itself', (code, type) => {
  const response = resourcesOf(developmentTemplate(), 'AWS::ApiGateway::GatewayResponse')
    .map(([, { Properties }]) => Properties)
    .find(({ ResponseType }) => ResponseType === type);
  const template = JSON.parse(response?.ResponseTemplates['application/json']);
  const { body } = problemExample('listSandboxes', code).response;
  expect(body).toEqual({ ...template, request_id: (body as { request_id: string }).request_id });
});

test('unavailable is what a function answers when the table does not', () => {
  const timeout = Object.assign(new Error('No answer.'), { name: 'TimeoutError' });
  const { code, message } = asProblem(timeout);
  const { body } = problemExample('listSandboxes', 'unavailable').response;
  expect(masked(body)).toEqual(masked(problemDetails(code, message, crypto.randomUUID())));
});

describe.each(exchanges.map((each) => [each.operation, each.name as ProblemCode, each] as const))(
  '%s: %s',
  (_, name, { request, response }) => {
    test('is as the document says', () => {
      const answer = { ...response, headers: new Headers(response.headers) };
      expect(deviations(request.method, request.path, answer)).toEqual([]);
      expect(response.body).toMatchObject(response.status < 400 ? {} : { code: name });
    });
  },
);
