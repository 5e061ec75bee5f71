import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { expect, test } from 'vitest';
import { developmentTemplate, resourcesOf } from '../support/read-template.ts';

const responses = new Map(
  resourcesOf(developmentTemplate(), 'AWS::ApiGateway::GatewayResponse').map(
    ([, { Properties }]) => [String(Properties.ResponseType), Properties],
  ),
);

test('the template has every type of gateway response that the CDK knows, so that no default decides its status', () => {
  const known = Object.values(ResponseType).flatMap((type) =>
    type instanceof ResponseType ? [type.responseType] : [],
  );
  expect([...responses.keys()].sort()).toEqual(known.sort());
});

test.each([...responses])(
  'the response to %s is a problem with its status, about this request',
  (_, { StatusCode, ResponseTemplates, ResponseParameters }) => {
    expect(Object.keys(ResponseTemplates)).toEqual(['application/json']);
    const text: string = ResponseTemplates['application/json'];
    const { status, request_id } = JSON.parse(text);
    expect([StatusCode, request_id]).toEqual([String(status), '$context.requestId']);
    // Nothing else is replaced in it.
    expect(text.replace('$context.requestId', '')).not.toMatch(/[$#]/);
    expect(ResponseParameters).toHaveProperty(
      ['gatewayresponse.header.Request-Id'],
      'context.requestId',
    );
  },
);
