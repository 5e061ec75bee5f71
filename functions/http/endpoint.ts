import middy from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { type Author, newAuthor } from '../domain/author.ts';
import { Caller, requireAccess } from '../domain/caller.ts';
import type { Route } from '../domain/routes.ts';
import type { BegunKey } from '../idempotency/begin-key.ts';
import type { Intent } from '../idempotency/intent.ts';
import { newStamp, type Stamp } from '../runtime/stamp.ts';
import type { Write } from '../store/commit.ts';
import { retry } from '../store/conflict.ts';
import { measured } from '../telemetry/metrics.ts';
import { earlyLoad } from './early-load.ts';
import { problemResponses } from './problem-responses.ts';
import { type Request, readRequest, type Schemas } from './read-request.ts';
import { type Reported, requestReport } from './request-report.ts';
import { responseTo } from './response.ts';
import { untilDeadline } from './until-deadline.ts';

/** What a route does with a request, in this order. Without a schema, it takes no body or query. */
interface Steps<Body, Query, Loaded, Decision extends Decided> extends Schemas<Body, Query> {
  /**
   * Reads what the decision needs, while the key of the request is begun.
   *
   * @param keyBegun is resolved when the key is begun: what costs much is read after that
   */
  readonly load?: (request: Request<Body, Query>, keyBegun: Promise<void>) => Promise<Loaded>;
  /**
   * Decides, without reading or writing anything.
   *
   * @throws Problem
   */
  readonly decide: (request: Request<Body, Query>, loaded: Loaded, stamp: Stamp) => Decision;
  /**
   * Commits the decision.
   *
   * @throws Conflict when what was loaded has changed: it is loaded and decided again
   */
  readonly save?: (decision: Decision, saving: Saving) => Promise<void>;
  /** The ids of what a response with an effect is about, for the log. */
  readonly changed?: (response: Decision['response']) => Readonly<Record<string, unknown>>;
}

/** A decision has the response to the request, and what is to be saved. */
type Decided = { readonly response: object };

/** What goes with every decision that is saved. */
interface Saving {
  readonly caller: Caller;
  /** Who made the request: a part of every item that it writes. */
  readonly author: Author;
  /** Guards the transaction that makes the effect; undefined without a key. */
  readonly claim: Write | undefined;
}

/** Time to log and return 503 or 504 before Lambda ends the function, also on a starved machine. */
const reserveMs = 1500;
/**
 * How long a request is retried while it conflicts with others; then the response is 503. A last
 * try begun then has 1.5 seconds until the deadline, which would have to report that its outcome is
 * unknown.
 */
const patienceMs = 7000;

/** The Lambda handler of a route. */
export const endpoint = <Body, Query, Loaded, Decision extends Decided>(
  route: Route,
  steps: Steps<Body, Query, Loaded, Decision>,
) => {
  const { load = async () => undefined as Loaded, decide, save, changed } = steps;

  const respond = async (
    event: APIGatewayProxyEvent,
    context: Context,
    { signal: deadline }: { signal: AbortSignal },
  ): Promise<Reported> => {
    const caller = Caller.parse(event.requestContext.authorizer);
    requireAccess(caller, route);
    const { request, intent } = readRequest(event, caller, route, steps);
    const author = newAuthor(caller.token_id, event.requestContext.requestId);
    const success = (response: object, headers = {}) =>
      responseTo(event, route.status, { 'Content-Type': 'application/json', ...headers }, response);
    const replay = (response: object) => success(response, { 'Idempotent-Replayed': 'true' });

    return untilDeadline(deadline, async () => {
      const loading = earlyLoad((keyBegun) => load(request, keyBegun));
      const key = await begin(intent, context);
      if (key.earlier) return replay(key.earlier);
      loading.goOn();
      const effect = retry(async () => {
        const decision = decide(request, await loading.next(), newStamp());
        await save?.(decision, { caller, author, claim: key.claim(decision.response) });
        return { ...success(decision.response), changed: changed?.(decision.response) };
      }, patienceMs);
      return effect.catch(async (error) => {
        const response = await key.recover(error);
        return { ...replay(response), changed: changed?.(response) };
      });
    });
  };

  return measured(
    middy(respond, {
      timeoutEarlyInMillis: reserveMs,
      // `untilDeadline` responds, because it knows whether the effect's write was sent.
      timeoutEarlyResponse: () => new Promise(() => {}),
    })
      .use(problemResponses())
      .use(requestReport()),
  );
};

/** Begins the key of an intent. A request without one has nothing to begin. */
const begin = async (intent: Intent | undefined, context: Context): Promise<BegunKey> => {
  if (!intent) return { claim: () => undefined, recover: (error) => Promise.reject(error) };
  // Powertools' idempotency is a tenth of a cold start, which only requests with a key pay.
  const { beginKey } = await import('../idempotency/begin-key.ts');
  return beginKey(intent, context);
};
