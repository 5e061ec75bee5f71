import pLimit from 'p-limit';
import { expect } from 'vitest';
import { callMs, requestsAtOnce } from '../../bin/smoke/given-service.ts';
import { pathOf } from '../../functions/contract/operation.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { claimKey } from '../../functions/idempotency/intent.ts';
import { contractPartOf, deviations } from './contract.ts';
import { given, ownPartitions, requireLive } from './given-service.ts';
import type { KeyedOperation } from './keyed-operations.ts';
import { noteRequest } from './request-ids.ts';
import { service } from './running-stack.ts';
import { type RequestContent, type Response, sendRequest } from './send-request.ts';
import { workspaceOf } from './tenants.ts';

export type CallFunction = (
  method: string,
  path: string,
  call?: RequestContent,
) => Promise<Response>;

/** Calls a running service, and checks that its response is one that openapi.json documents. */
export const caller =
  (url: string): CallFunction =>
  async (method, path, call = {}) => {
    if (call.key !== undefined) ownClaim(method, path, call.key, call.token);
    const response = await sendInTurn(`${url}${path}`, method, call);
    noteRequest(method, path, response);
    expect(deviations(method, path, response)).toEqual([]);
    if (response.body && response.status >= 400) expectDiscretion(response);
    return response;
  };

/** The same for the service of the tests, whatever the workspace of the token. */
export const callFromAnyWorkspace = caller(service.url);

/** The same; where sandboxes need another workspace than the given one, the test is skipped. */
export const call: CallFunction = async (method, path, content = {}) => {
  requireLive(path, content.token);
  return callFromAnyWorkspace(method, path, content);
};

export const send = <Target>(
  { route, request }: Pick<KeyedOperation<Target>, 'route' | 'request'>,
  target: Target,
  sender: Pick<RequestContent, 'token' | 'key'>,
): Promise<Response> => {
  const { body, ...rest } = request(target);
  return call(route.method, pathOf(route, rest), { ...sender, body });
};

/** The service writes a claim for a key. */
const ownClaim = (method: string, path: string, key: string, token = ''): void => {
  const { template } = contractPartOf(method, path);
  const route = Object.values<Route>(routes).find(
    (each) => each.method === method && each.path === template,
  );
  const workspace = workspaceOf.get(token);
  if (!given?.run || !route || !workspace) return;
  const bare = key.replace(/^"(.*)"$/, '$1');
  ownPartitions(claimKey({ workspace, endpoint: route.functionName, key: bare }).pk);
};

const inTurn = pLimit(given ? requestsAtOnce : Number.POSITIVE_INFINITY);

/** Sends a request when it is its turn, and waits for the response as long as the limits allow. */
const sendInTurn = (url: string, method: string, call: RequestContent): Promise<Response> =>
  inTurn(() => {
    const signal = given && AbortSignal.timeout(callMs);
    return sendRequest(url, method, call, signal).catch((cause) => {
      throw new Error(`${method} ${url}: no response.`, { cause });
    });
  });

/** An error names its request, and nothing of our inside. */
const expectDiscretion = ({ headers, body }: Response) => {
  expect(body.request_id).toBe(headers.get('request-id'));
  expect(body.type).toBe(`urn:workforce-payments:problem:${body.code}`);
  expect(JSON.stringify(body)).not.toMatch(
    /dynamo|exception|\bat .*:\d+|node_modules|\btable|\baws/i,
  );
};
