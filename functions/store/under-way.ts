import { AsyncLocalStorage } from 'node:async_hooks';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { Problem } from '../domain/problem.ts';
import { noConnection } from './availability.ts';
import { WriteTries } from './write-tries.ts';

/** The work of one request or message. */
export interface UnderWay {
  /** Aborts its calls to DynamoDB. */
  readonly deadline: AbortSignal;
  /** The tries of the write that makes its effect. */
  readonly tries?: WriteTries;
}

/** Carries the work under way to the client of DynamoDB. */
export const underWay = new AsyncLocalStorage<UnderWay>();

type Handle = NodeHttpHandler['handle'];

/** HTTP options of the write that makes an effect. */
type TriesOptions = NonNullable<Parameters<Handle>[1]> & { readonly tries?: WriteTries };

/** The SDK's HTTP handler. It aborts calls at the deadline and observes an effect's tries. */
export class ObservingHandler extends NodeHttpHandler {
  override async handle(...[request, options = {}]: Parameters<Handle>): ReturnType<Handle> {
    const { tries, ...own } = options as TriesOptions;
    const abortSignal = underWay.getStore()?.deadline ?? own.abortSignal;
    tries?.sent();
    try {
      const sent = await super.handle(request, { ...own, abortSignal });
      const { statusCode } = sent.response;
      // After a 5xx a write may have been done (DynamoDB Developer Guide, "Error handling").
      if (statusCode >= 400 && statusCode < 500) tries?.refused();
      return sent;
    } catch (error) {
      if (wasNeverSent(error as NodeJS.ErrnoException)) tries?.refused();
      throw error;
    }
  }
}

/** The SDK's own limit on connecting has no code; its limit on the whole request has one. */
export const wasNeverSent = ({ code = '', message }: NodeJS.ErrnoException): boolean =>
  noConnection.has(code) || /did not establish a connection/.test(message);

/**
 * Sends the write that makes an effect.
 *
 * @throws OutcomeUnknown when it failed but an earlier try of the SDK's may have succeeded
 */
export const sendEffect = async <T>(send: (options: TriesOptions) => Promise<T>): Promise<T> => {
  const tries = underWay.getStore()?.tries ?? new WriteTries();
  try {
    return await send({ tries });
  } catch (error) {
    throw tries.errorFor(error);
  }
};

/**
 * Does a request's work until it has a response, or until the deadline. Then its calls to DynamoDB
 * are aborted and none begins: Lambda freezes an instance after the response, and a write left
 * behind would be committed when it is thawed for another request, maybe minutes later.
 *
 * @throws Problem `unavailable` at the deadline, or OutcomeUnknown if the effect's write was sent
 * by then
 */
export const untilDeadline = async <T>(
  deadline: AbortSignal,
  run: () => Promise<T>,
): Promise<T> => {
  const tries = new WriteTries();
  const ended = new AbortController();
  const { promise: timeIsUp, reject } = Promise.withResolvers<never>();
  deadline.addEventListener('abort', () => {
    const tooLong = 'The request took too long. Nothing was changed. Send it again.';
    reject(tries.errorFor(new Problem('unavailable', tooLong)));
    ended.abort();
  });
  const work = { deadline: ended.signal, tries };
  try {
    return await Promise.race([underWay.run(work, run), timeIsUp]);
  } finally {
    ended.abort();
  }
};
