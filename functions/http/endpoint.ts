import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { answerHeaders } from '../domain/answer-headers.ts';
import { type Author, newAuthor } from '../domain/author.ts';
import { Caller, mayCall } from '../domain/caller.ts';
import type { Route } from '../domain/routes.ts';
import type { SavedForm } from '../idempotency/once.ts';
import type { Guard } from '../store/commit.ts';
import { retry } from '../store/conflict.ts';
import { type Work, works } from '../store/deadline.ts';
import { untilDeadline } from '../store/outcome.ts';
import { measured } from '../telemetry/metrics.ts';
import { problemResponses } from './problem-responses.ts';
import { type Request, readRequest, type Schemas } from './read-request.ts';
import { requestLog } from './request-log.ts';
import { requestMetrics } from './request-metrics.ts';

/** What an endpoint takes besides its route: schemas of its body and query, if it has them. */
interface Options<Body, Query, Answer> extends Schemas<Body, Query> {
  /** How its answer is saved with an Idempotency-Key; whole, unless given. */
  readonly saved?: SavedForm<Answer>;
}

/** What an endpoint gets: the request, its author, and the claim on its Idempotency-Key. */
interface EndpointRequest<Body, Query, Answer> extends Request<Body, Query> {
  /** Who made the request: a part of every item that it writes. */
  readonly author: Author;
  /**
   * The claim with the answer for replays, which guards the transaction that makes the effect;
   * undefined without a key.
   */
  readonly claim: (answer: Answer) => Guard | undefined;
}

/** Time to log and answer 503 or 504 before Lambda ends the function, also on a starved machine. */
const reserveMs = 1500;
/**
 * How long a request is retried while it conflicts with others; then the answer is 503. A last try
 * begun then has 1.5 seconds until the deadline, which would have to answer that its outcome is
 * unknown.
 */
const patienceMs = 7000;

/**
 * The Lambda handler of a route. `answer` loads, decides and saves; it may run again when what it
 * loaded has changed by the time it saves.
 */
export const endpoint = <Body, Query, Answer = unknown>(
  route: Route,
  options: Options<Body, Query, Answer>,
  answer: (request: EndpointRequest<Body, Query, Answer>) => Promise<Answer>,
) => {
  const respond = async (
    event: APIGatewayProxyEvent,
    context: Context,
    { signal: deadline }: { signal: AbortSignal },
  ): Promise<APIGatewayProxyResult> => {
    const caller = Caller.parse(event.requestContext.authorizer);
    mayCall(caller, route);
    const { request, intent } = readRequest(event, caller, route, options);
    const author = newAuthor(caller.token_id, event.requestContext.requestId);
    const run = (claim: (answer: Answer) => Guard | undefined) =>
      retry(() => answer({ ...request, author, claim }), patienceMs);
    const runOnce = async () => {
      if (!intent) return { body: await run(() => undefined), replayed: false };
      // Powertools' idempotency is a tenth of a cold start, which only requests with a key pay.
      const { once } = await import('../idempotency/once.ts');
      return once(intent, context, options.saved, run);
    };
    // From here on `works` (an AsyncLocalStorage) carries the deadline to the HTTP handler of the
    // DynamoDB client, so that no function between here and there has to pass it on.
    const work: Work = { deadline, hasKey: intent !== undefined, maybeDone: false };
    const { body, replayed } = await works.run(work, () => untilDeadline(work, runOnce));
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
      // `untilDeadline` answers, because it has recorded whether the effect's write was sent.
      timeoutEarlyResponse: () => new Promise(() => {}),
    })
      .use(everyAnswer())
      .use(problemResponses())
      .use(requestLog())
      .use(requestMetrics()),
  );
};

/** Every response carries the id of its request, by which the logs find it. */
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
