import { NodeHttpHandler } from '@smithy/node-http-handler';
import { noConnection } from './availability.ts';
import { currentWork } from './write-tries.ts';

type Handle = NodeHttpHandler['handle'];

/** The SDK's HTTP handler. It aborts calls at the deadline and observes an effect's tries. */
export class ObservingHandler extends NodeHttpHandler {
  override async handle(...[request, options]: Parameters<Handle>): ReturnType<Handle> {
    const { deadline = options?.abortSignal, tries, isEffect } = currentWork.getStore() ?? {};
    const observed = isEffect ? tries : undefined;
    observed?.sent();
    try {
      const sent = await super.handle(request, { ...options, abortSignal: deadline });
      const { statusCode } = sent.response;
      // After a 5xx a write may have been done (DynamoDB Developer Guide, "Error handling").
      if (statusCode >= 400 && statusCode < 500) observed?.refused();
      return sent;
    } catch (error) {
      if (wasNeverSent(error as NodeJS.ErrnoException)) observed?.refused();
      throw error;
    }
  }
}

/** The SDK's own limit on connecting has no code; its limit on the whole request has one. */
export const wasNeverSent = ({ code = '', message }: NodeJS.ErrnoException): boolean =>
  noConnection.has(code) || /did not establish a connection/.test(message);
