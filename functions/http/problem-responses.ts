import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { Problem, problemDetails, problemHeaders } from '../domain/problem.ts';
import { isUnavailable } from '../store/availability.ts';
import { Conflict } from '../store/conflict.ts';
import { OutcomeUnknown } from '../store/write-tries.ts';
import { responseTo } from './response.ts';

/** Responds with problem details (RFC 9457); the original message never leaves the service. */
export const problemResponses = (): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> => ({
  onError: (request) => {
    const { code, message, extension } = asProblem(request.error);
    const { requestId } = request.event.requestContext;
    // Assigned, not returned: middy runs no further `onError` once one returns a value.
    const details = problemDetails(code, message, requestId, extension);
    request.response = responseTo(request.event, details.status, problemHeaders(code), details);
  },
});

export const asProblem = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  if (error instanceof OutcomeUnknown) {
    return new Problem(
      'outcome_unknown',
      'Send the request again with the same Idempotency-Key: it takes effect once. Check whether a request without a key took effect before you send it again: it may take effect twice. GET /v1/sandboxes lists new sandboxes.',
    );
  }
  if (error instanceof Conflict || isUnavailable(error)) {
    return new Problem('unavailable', 'Nothing was changed. Send the request again.');
  }
  return new Problem('internal_error', 'Report the request_id to the operators of this service.');
};
