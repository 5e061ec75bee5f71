import { AsyncLocalStorage } from 'node:async_hooks';
import { NodeHttpHandler } from '@smithy/node-http-handler';

const deadlines = new AsyncLocalStorage<AbortSignal>();

/**
 * Runs the work of one request. When `deadline` aborts, the request has been answered: its calls to
 * DynamoDB are broken off and none begins. Lambda freezes an instance then and thaws it for another
 * request, maybe minutes later; a write left behind would be committed at that time.
 */
export const untilDeadline = <T>(deadline: AbortSignal, work: () => Promise<T>): Promise<T> =>
  deadlines.run(deadline, work);

/** The SDK's own HTTP handler, obeying the deadline of the request that it is called for. */
export class DeadlineHandler extends NodeHttpHandler {
  override handle(...[request, options = {}]: Parameters<NodeHttpHandler['handle']>) {
    const abortSignal = deadlines.getStore();
    return super.handle(request, abortSignal ? { ...options, abortSignal } : options);
  }
}
