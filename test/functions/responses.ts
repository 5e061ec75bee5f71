import type { APIGatewayProxyEvent, APIGatewayProxyResult, SQSBatchResponse } from 'aws-lambda';
import { expect } from 'vitest';
import type { Route } from '../../functions/domain/routes.ts';
import { requestTo, type Sent } from '../support/function-events.ts';
import type { Deployed } from '../support/use-functions.ts';

export interface FunctionResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** As it was sent, to compare replays with. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies that they then compare.
  readonly body: any;
}

/** What an endpoint's function responds to a request, in whose event these fields differ. */
export const responseOf = async (
  lambda: Deployed,
  route: Route,
  sent: Sent,
  fields?: Partial<APIGatewayProxyEvent>,
): Promise<FunctionResponse> => {
  const response = await lambda.invoke(requestTo(route, sent, fields));
  const { statusCode, headers = {}, body, ...rest } = response as APIGatewayProxyResult;
  // API Gateway may take a response with other members for a malformed one, which is 502.
  expect(rest).toEqual({});
  return { status: statusCode, headers, text: body, body: JSON.parse(body) };
};

/** The ids of the messages or records of a batch that are to come again. */
export const failuresOf = async (lambda: Deployed, event: unknown): Promise<string[]> => {
  const { batchItemFailures } = (await lambda.invoke(event)) as SQSBatchResponse;
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
};
