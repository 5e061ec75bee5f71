import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { answerHeaders } from '../domain/answer-headers.ts';
import { Caller, mayCall } from '../domain/caller.ts';
import type { Route } from '../domain/routes.ts';
import { settle } from '../store/conflict.ts';
import { untilDeadline } from '../store/outcome.ts';
import { measured } from '../telemetry/metrics.ts';
import { problemResponses } from './problem-responses.ts';
import { type Request, readRequest } from './read-request.ts';
import { requestLog } from './request-log.ts';
import { requestMetrics } from './request-metrics.ts';

/** What an endpoint takes besides its route: schemas of its body and query, if it has them. */
interface Options<Body, Query, Answer, Saved> {
  readonly body?: z.ZodMiniType<Body>;
  readonly query?: z.ZodMiniType<Query>;
  /** The answer, from what is saved of it with an Idempotency-Key; if not said, it is saved whole. */
  readonly restore?: (saved: Saved) => Promise<Answer>;
}

const nothing = z.strictObject({});

/** Time to log and answer 503 or 504 before Lambda ends the function, also on a starved machine. */
const reserveMs = 1500;
/** Time within which conflicting requests sort themselves out; then the answer is 503. */
const patienceMs = 8000;

/**
 * The Lambda handler of a route. `answer` loads, decides and saves; it may run again when what it
 * loaded has changed by the time it saves.
 */
export const endpoint = <Body = unknown, Query = unknown, Answer = unknown, Saved = Answer>(
  route: Route,
  options: Options<Body, Query, Answer, Saved>,
  answer: (request: Request<Body, Query>) => Promise<Answer>,
) => {
  const schemas = {
    body: options.body ?? (nothing as z.ZodMiniType<Body>),
    query: options.query ?? (nothing as z.ZodMiniType<Query>),
  };
  const restore = options.restore ?? (async (saved: Saved) => saved as unknown as Answer);

  const respond = async (
    event: APIGatewayProxyEvent,
    context: Context,
    { signal }: { signal: AbortSignal },
  ): Promise<APIGatewayProxyResult> => {
    const caller = Caller.parse(event.requestContext.authorizer);
    mayCall(caller, route);
    const request = readRequest(event, caller, route, schemas);
    const { claim } = request;
    const run = () => settle(() => answer(request), patienceMs);
    const { body, replayed } = await untilDeadline(signal, claim !== undefined, async () => {
      if (!claim) return { body: await run(), replayed: false };
      // Powertools' idempotency is a tenth of a cold start, which only requests with a key pay.
      const { once } = await import('./idempotency.ts');
      return once(claim, context, restore, run);
    });
    return {
      statusCode: route.status,
      headers: {
        'Content-Type': 'application/json',
        ...(replayed && { 'Idempotent-Replayed': 'true' }),
      },
      body: JSON.stringify(body),
    };
  };

  return measured(
    middy(respond, {
      timeoutEarlyInMillis: reserveMs,
      // The work itself answers: it knows what it has done.
      timeoutEarlyResponse: () => new Promise(() => {}),
    })
      .use(everyAnswer())
      .use(problemResponses())
      .use(requestLog())
      .use(requestMetrics()),
  );
};

/** Every response names the request that it answers, as API Gateway and the logs do. */
const everyAnswer = (): middy.MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> => {
  const addHeaders = ({
    event: { requestContext },
    response,
  }: middy.Request<APIGatewayProxyEvent, APIGatewayProxyResult>) => {
    if (!response) return;
    response.headers = {
      ...response.headers,
      ...answerHeaders,
      'Request-Id': requestContext.requestId,
    };
  };
  return { after: addHeaders, onError: addHeaders };
};
