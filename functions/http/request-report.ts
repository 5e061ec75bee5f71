import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { problems } from '../domain/problem.ts';
import { loggable } from '../telemetry/loggable.ts';
import { logger } from '../telemetry/logger.ts';
import { count, countProblem } from '../telemetry/metrics.ts';
import { asProblem } from './problem-responses.ts';

/** A response, and for the line alone what its request has changed. */
export interface Reported extends APIGatewayProxyResult {
  /** The ids of what the request created, and of what that belongs to. */
  readonly changed?: object | undefined;
}

/**
 * One line for each request, by which it can be found: its id, the workspace, the token's id, the
 * status and the code, and what it has changed: operators can neither write nor delete that. Never
 * what was sent: bodies hold reasons and addresses, headers hold tokens.
 * Problems are counted by their code, and so is what became of idempotency keys.
 */
export const requestReport = (): MiddlewareObj<APIGatewayProxyEvent, Reported> => ({
  after: (request) => {
    const { changed, ...response } = request.response as Reported;
    logger.info('request', { ...facts(request.event), status: response.statusCode, ...changed });
    if (response.headers?.['Idempotent-Replayed']) count('IdempotentReplay');
    request.response = response;
  },
  onError: ({ error, event }) => {
    const { code } = asProblem(error);
    const { status } = problems[code];
    const level = status === 500 ? 'error' : status > 500 ? 'warn' : 'info';
    logger[level]('request', {
      ...facts(event),
      status,
      code,
      ...(status >= 500 && error && { error: loggable(error) }),
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
