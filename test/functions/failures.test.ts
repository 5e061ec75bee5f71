import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/domain/routes.ts';
import { operationIds, requestOf } from '../../lib/openapi/operations.ts';
import { useFunctions } from '../support/use-functions.ts';
import { metricsIn } from './recorded-metrics.ts';
import { type FunctionResponse, responseOf } from './responses.ts';

const { deployed } = await useFunctions();

const tenant = { workspace: 'wsp_cut_off', account: 'acc_cut_off' };
const requests = operationIds.map((operation) => ({
  route: routes[operation],
  sent: { tenant, ...requestOf(operation) },
}));

const expectInternalError = ({ status, headers, body, text }: FunctionResponse) => {
  expect([status, body.code]).toEqual([500, 'internal_error']);
  expect(headers['Request-Id']).toBe(body.request_id);
  expect(Object.keys(body)).toEqual(['type', 'title', 'status', 'detail', 'code', 'request_id']);
  expect(text).not.toMatch(
    /dynamo|table|aws|exception|environment|\.ts|\.mjs|not set|denied|arn:/i,
  );
};

describe.each(requests)('$route.method $route.path', ({ route, sent }) => {
  test.each([
    ['another-table', { name: 'ResourceNotFoundException' }],
    ['', { message: 'The environment variable TABLE_NAME is not set.' }],
  ])('describes the fault of the table "%s" to the operator only', async (TABLE_NAME, error) => {
    const lambda = deployed(route.functionName, { TABLE_NAME });
    const response = await responseOf(lambda, route, sent);
    expectInternalError(response);
    const entry = lambda.log.map((line) => JSON.parse(line)).find(({ level }) => level);
    expect(entry).toMatchObject({
      level: 'ERROR',
      request_id: response.body.request_id,
      code: 'internal_error',
      error,
    });
    // With its version, by which a deployment finds out that the new one fails, and without the
    // function, of which an alarm could watch only a few.
    const problems = metricsIn(lambda.log).filter(({ name }) => name === 'Problem');
    const dimensions = { service: route.functionName, code: 'internal_error' };
    expect(problems.map((each) => each.dimensions)).toEqual([
      dimensions,
      { ...dimensions, version: '$LATEST' },
      { code: 'internal_error' },
    ]);
  });
});
