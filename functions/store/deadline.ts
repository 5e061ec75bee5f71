import { AsyncLocalStorage } from 'node:async_hooks';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { noConnection } from './availability.ts';

/** The work of one request or message. */
export interface Work {
  readonly deadline: AbortSignal;
  /** Whether the request has an Idempotency-Key. */
  readonly hasKey?: boolean;
  /** Whether its effect may be in the table: its write was sent, and no reply reports a failure. */
  // biome-ignore lint/plugin: observe() sets it as the write is sent, for endpoint() to read.
  maybeDone?: boolean;
}

/** Carries the work under way to the HTTP handler. `endpoint()` begins one for each request. */
export const works = new AsyncLocalStorage<Work>();

type Handle = NodeHttpHandler['handle'];
type Options = NonNullable<Parameters<Handle>[1]>;

/** HTTP options of the command that makes a request's effect. */
export const effectOptions: Options & { readonly isEffect: true } = { isEffect: true };

/**
 * The SDK's own HTTP handler. It aborts a request's calls at its deadline, and observes each try of
 * the effect's write; the SDK reports only the last one.
 */
export class DeadlineHandler extends NodeHttpHandler {
  override handle(...[request, options = {}]: Parameters<Handle>) {
    const work = works.getStore();
    if (!work) return super.handle(request, options);
    const own = options.abortSignal as AbortSignal | undefined;
    const abortSignal = own ? AbortSignal.any([work.deadline, own]) : work.deadline;
    const send = () => super.handle(request, { ...options, abortSignal });
    return 'isEffect' in options ? observe(work, send) : send();
  }
}

const observe = async (work: Work, send: () => ReturnType<Handle>): ReturnType<Handle> => {
  const before = work.maybeDone === true;
  work.maybeDone = true;
  try {
    const reply = await send();
    const { statusCode } = reply.response;
    // After a 5xx a write may have been done (DynamoDB Developer Guide, "Error handling").
    if (statusCode >= 400 && statusCode < 500) work.maybeDone = before;
    return reply;
  } catch (error) {
    if (wasNeverSent(error as NodeJS.ErrnoException)) work.maybeDone = before;
    throw error;
  }
};

/** The SDK's own limit on connecting has no code; its limit on the whole request has one. */
export const wasNeverSent = ({ code = '', message }: NodeJS.ErrnoException): boolean =>
  noConnection.has(code) || /did not establish a connection/.test(message);
