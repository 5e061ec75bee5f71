import { AsyncLocalStorage } from 'node:async_hooks';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { Problem } from '../domain/problem.ts';
import { noConnection } from './availability.ts';
import { Effect } from './effect.ts';

/** The work of one request or message. */
export interface Work {
  /** Aborts its calls to DynamoDB. */
  readonly deadline: AbortSignal;
  readonly effect?: Effect;
}

/** Carries the work under way to the client of DynamoDB. */
export const works = new AsyncLocalStorage<Work>();

type Handle = NodeHttpHandler['handle'];

/** The SDK's HTTP handler. It aborts calls at the deadline and observes an effect's tries. */
export class WorkHandler extends NodeHttpHandler {
  override handle(...[request, options = {}]: Parameters<Handle>) {
    const { effect, ...own } = options as typeof options & Partial<EffectOptions>;
    const abortSignal = works.getStore()?.deadline ?? own.abortSignal;
    const send = () => super.handle(request, { ...own, abortSignal });
    return effect ? observe(effect, send) : send();
  }
}

const observe = async (effect: Effect, send: () => ReturnType<Handle>): ReturnType<Handle> => {
  effect.sent();
  try {
    const sent = await send();
    const { statusCode } = sent.response;
    // After a 5xx a write may have been done (DynamoDB Developer Guide, "Error handling").
    if (statusCode >= 400 && statusCode < 500) effect.refused();
    return sent;
  } catch (error) {
    if (wasNeverSent(error as NodeJS.ErrnoException)) effect.refused();
    throw error;
  }
};

/** The SDK's own limit on connecting has no code; its limit on the whole request has one. */
export const wasNeverSent = ({ code = '', message }: NodeJS.ErrnoException): boolean =>
  noConnection.has(code) || /did not establish a connection/.test(message);

/** HTTP options of the command that makes an effect. */
type EffectOptions = NonNullable<Parameters<Handle>[1]> & { readonly effect: Effect };

/**
 * Sends the write that makes a request's effect.
 *
 * @throws OutcomeUnknown when it failed but an earlier try of the SDK's may have succeeded
 */
export const sendEffect = async <T>(send: (options: EffectOptions) => Promise<T>): Promise<T> => {
  const effect = works.getStore()?.effect ?? new Effect();
  try {
    return await send({ effect });
  } catch (error) {
    throw effect.verdict(error);
  }
};

/**
 * Does a request's work until it has its response, at the latest at its deadline. Then its calls to
 * DynamoDB are aborted and none begins. Lambda freezes an instance after the response and thaws it
 * for another request, maybe minutes later; a write left behind would be committed at that time.
 *
 * @throws Problem `unavailable` at the deadline, or OutcomeUnknown if the effect's write was sent
 * by then
 */
export const untilDeadline = async <T>(
  deadline: AbortSignal,
  effect: Effect,
  run: () => Promise<T>,
): Promise<T> => {
  const ended = new AbortController();
  const { promise: timeIsUp, reject } = Promise.withResolvers<never>();
  deadline.addEventListener('abort', () => {
    const tooLong = 'The request took too long. Nothing was changed. Send it again.';
    reject(effect.verdict(new Problem('unavailable', tooLong)));
    ended.abort();
  });
  const work = { deadline: ended.signal, effect };
  try {
    return await Promise.race([works.run(work, run), timeIsUp]);
  } finally {
    ended.abort();
  }
};
