import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { count, countProblem } from '../telemetry/metrics.ts';
import { asProblem } from './problem-responses.ts';

/** Counts problems by their code, and what became of idempotency keys. */
export const requestMetrics = (): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> => ({
  after: ({ response }) => {
    if (response?.headers?.['Idempotent-Replayed']) count('IdempotentReplay');
  },
  onError: ({ error }) => {
    const { code } = asProblem(error);
    countProblem(code);
    if (code === 'idempotency_key_in_use' || code === 'idempotency_key_reused') {
      count('IdempotencyConflict');
    }
  },
});
