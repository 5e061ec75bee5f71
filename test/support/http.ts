import { expect } from 'vitest';
import { type Call, requestInit } from '../../bin/openapi/request-init.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { claimKey } from '../../functions/idempotency/intent.ts';
import { deviations, targetOf } from '../../lib/openapi/contract.ts';
import { noteRequest } from './request-ids.ts';
import { service } from './stack.ts';
import { own, stage } from './stage.ts';
import { workspaceOf } from './tenants.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies that they then compare.
  readonly body: any;
  /** As it was sent, to compare replays with. */
  readonly text: string;
}

export type Caller = (method: string, path: string, call?: Call) => Promise<Answer>;

/** Calls a running service, and checks that its answer is one that openapi.json documents. */
export const caller =
  (url: string): Caller =>
  async (method, path, call = {}) => {
    if (call.key !== undefined) await ownClaim(method, path, call.key, call.token);
    const { response, text } = await send(`${url}${path}`, requestInit(method, call));
    noteRequest(method, path, response);
    const answer = {
      status: response.status,
      headers: response.headers,
      body: method === 'HEAD' ? undefined : JSON.parse(text),
      text,
    };
    expect(deviations(method, path, answer)).toEqual([]);
    if (answer.body && answer.status >= 400) expectDiscretion(answer);
    return answer;
  };

export const call = caller(service.url);

/** The service writes a claim for a key. */
const ownClaim = async (method: string, path: string, key: string, token = '') => {
  const { template } = targetOf(method, path);
  const route = Object.values<Route>(routes).find(
    (each) => each.method === method && each.path === template,
  );
  const workspace = workspaceOf.get(token);
  if (!stage?.run || !route || !workspace) return;
  const bare = key.replace(/^"(.*)"$/, '$1');
  await own(claimKey({ workspace, operation: route.functionName, key: bare }).pk);
};

const waiting: (() => void)[] = [];
let free = stage?.limits.requestsAtOnce ?? Number.POSITIVE_INFINITY;

/** Sends a request when it is its turn, and waits for the answer as long as the stage allows. */
const send = async (url: string, init: RequestInit) => {
  if (free > 0) free -= 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    const signal = stage && AbortSignal.timeout(stage.limits.callMs);
    const response = await fetch(url, { ...init, ...(signal && { signal }) });
    return { response, text: await response.text() };
  } catch (error) {
    throw new Error(`${init.method} ${url}: no answer.`, { cause: error });
  } finally {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }
};

/** An error names its request, and nothing of our inside. */
const expectDiscretion = ({ headers, body }: Answer) => {
  expect(body.request_id).toBe(headers.get('request-id'));
  expect(body.type).toBe(`urn:workforce-payments:problem:${body.code}`);
  expect(JSON.stringify(body)).not.toMatch(
    /dynamo|exception|\bat .*:\d+|node_modules|\btable|\baws/i,
  );
};
