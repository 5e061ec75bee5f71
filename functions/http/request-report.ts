import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { problems } from '../domain/problem.ts';
import { loggable } from '../telemetry/loggable.ts';
import { logger } from '../telemetry/logger.ts';
import { count, countProblem } from '../telemetry/metrics.ts';
import { asProblem } from './problem-responses.ts';

/** What requests have changed, for their lines. */
const changes = new WeakMap<APIGatewayProxyEvent, object>();

/** Notes what a request has changed: the ids of what it created, and of what that belongs to. */
export const noteChange = (event: APIGatewayProxyEvent, ids: object | undefined): void => {
  if (ids) changes.set(event, ids);
};

/**
 * One line for each request, by which it can be found: its id, the workspace, the token's id, the
 * status and the code, and what it has changed: operators can neither write nor delete that. Never
 * what was sent: bodies hold reasons and addresses, headers hold tokens.
 * Problems are counted by their code, and so is what became of idempotency keys.
 */
export const requestReport = (): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> => ({
  after: ({ event, response }) => {
    logger.info('request', {
      ...facts(event),
      status: response?.statusCode,
      ...changes.get(event),
    });
    if (response?.headers?.['Idempotent-Replayed']) count('IdempotentReplay');
  },
  onError: ({ error, event }) => {
    const { code } = asProblem(error);
    const { status } = problems[code];
    const level = status === 500 ? 'error' : status > 500 ? 'warn' : 'info';
    const isOurs = status >= 500;
    logger[level]('request', {
      ...facts(event),
      status,
      code,
      ...(isOurs && error && { error: loggable(error) }),
    });
    countProblem(code);
    if (/^idempotency_key_/.test(code)) count('IdempotencyConflict');
  },
});

const facts = ({ requestContext }: APIGatewayProxyEvent) => ({
  request_id: requestContext.requestId,
  workspace: requestContext.authorizer?.workspace,
  token: requestContext.authorizer?.token_id,
});
