import { demo } from '../../functions/contract/demo.ts';
import {
  documentedHeaders,
  type OperationId,
  type OperationRequest,
  pathOf,
} from '../../functions/contract/operation.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import type { Exchange } from '../../lib/openapi/examples.ts';
import { requestOf } from '../../lib/openapi/operations.ts';
import { requestInit, sendRequest } from '../../test/support/send-request.ts';

/** A request to record, by what differs from that of the operation's example. */
interface RecordedRequest extends OperationRequest {
  /** What the operation's request is made of, in place of the example's target. */
  readonly target?: object;
  readonly path?: string;
  readonly method?: Route['method'] | 'DELETE';
  /** Null sends none. */
  readonly token?: string | null;
  readonly key?: string;
  /** Sent in place of the body, and not recorded. */
  readonly raw?: string;
}

/** Sends a request to a service that holds the demo data, and records it with its response. */
export type Recorder = ReturnType<typeof recorderOf>;

/** @param url of the service */
export const recorderOf =
  (url: string) =>
  async (operation: OperationId, name: string, given: RecordedRequest = {}): Promise<Exchange> => {
    const route: Route = routes[operation];
    const { method = route.method, key, raw } = given;
    const token = given.token === null ? undefined : (given.token ?? demo.tokens.live);
    const request = { ...requestOf(operation, given.target), ...given };
    const { body, headers, path = pathOf(route, request) } = request;
    const call = { token, body, raw, key, headers };
    const response = await sendRequest(`${url}${path}`, method, call);
    return {
      operation,
      name,
      request: {
        method,
        path,
        headers: requestInit(method, call).headers,
        ...(raw === undefined && body !== undefined && { body }),
      },
      response: {
        status: response.status,
        headers: Object.fromEntries(
          ['Content-Type', ...documentedHeaders].flatMap((header) => {
            const value = response.headers.get(header);
            return value === null ? [] : [[header, value]];
          }),
        ),
        body: response.body,
      },
    };
  };
