import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Event } from '../../functions/domain/events.ts';
import type { ProblemCode } from '../../functions/domain/problem.ts';
import { responseHeaders } from '../../functions/domain/response-headers.ts';
import { createApp, withoutValidation } from '../../lib/app.ts';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { type Engine, startDynamodb, startEngine } from '../../lib/local/local-engine.ts';
import type { Exchange } from '../../lib/openapi/examples.ts';
import { stayOnThisMachine } from '../command-line/stay-on-this-machine.ts';
import { loadDemoData } from '../local-run/demo-data.ts';
import { localEnvironment } from '../stack-file/local-environment.ts';
import { recordEvents, recordRedaction } from './record-events.ts';
import { recordExchanges } from './record-exchanges.ts';
import { sendRecorded } from './send-recorded.ts';

/** Starts the service and records an example of every success, every problem, and of events. */
export const recordExamples = async (): Promise<{ exchanges: Exchange[]; events: Event[] }> => {
  stayOnThisMachine();
  const assembly = (await createApp({ outdir: buildDirectory(), ...withoutValidation })).synth();
  const dynamodb = await startDynamodb();
  const published: Event[] = [];
  const stack = await startEngine({
    assemblyDirectory: assembly.directory,
    dynamodbUrl: dynamodb.url,
    onEvent: ({ detail }) => published.push(detail as Event),
    log: () => {},
  });
  try {
    const { url = '', endpoints, outputs } = stack;
    Object.assign(process.env, localEnvironment({ table: outputs.TableName ?? '', endpoints }));
    await loadDemoData();
    const responded = await recordExchanges(url);
    const events = await recordEvents([responded, await recordRedaction()], async () => published);
    const exchanges = [
      ...responded,
      ...gatewayResponses(assembly.stacks[0]?.template),
      await internalError(stack),
      await unavailable(stack, dynamodb.stop),
    ];
    return { exchanges, events };
  } finally {
    await stack.stop();
    await dynamodb.stop();
  }
};

interface RecordedTemplate {
  readonly Resources: Record<string, { Properties: Record<string, unknown> }>;
}

/** The template's responses for what does not occur here: throttle, firewall, lost functions. */
const gatewayResponses = (template: RecordedTemplate): Exchange[] => [
  gatewayResponse(template, 'rate_limited', 'THROTTLED'),
  gatewayResponse(template, 'request_blocked', 'WAF_FILTERED'),
  gatewayResponse(template, 'outcome_unknown', 'INTEGRATION_TIMEOUT'),
];

const gatewayResponse = (
  { Resources }: RecordedTemplate,
  name: ProblemCode,
  type: string,
): Exchange => {
  const found = Object.values(Resources).find(({ Properties }) => Properties.ResponseType === type);
  const { StatusCode, ResponseParameters, ResponseTemplates } = GatewayResponse.parse(
    found?.Properties,
  );
  const { 'gatewayresponse.header.Retry-After': retryAfter } = ResponseParameters;
  const requestId = randomUUID();
  const body = ResponseTemplates['application/json'].replace('$context.requestId', requestId);
  return {
    operation: 'listSandboxes',
    name,
    request: { method: 'GET', path: '/v1/sandboxes?limit=1', headers: {} },
    response: {
      status: StatusCode,
      headers: {
        'Content-Type': 'application/problem+json',
        'Request-Id': requestId,
        ...responseHeaders,
        ...(retryAfter && { 'Retry-After': retryAfter.replaceAll("'", '') }),
      },
      body: JSON.parse(body),
    },
  };
};

const GatewayResponse = z.object({
  StatusCode: z.coerce.number(),
  ResponseParameters: z.record(z.string(), z.string()),
  ResponseTemplates: z.object({ 'application/json': z.string() }),
});

/** A function that dies during a request. */
const internalError = async ({ url = '', functions }: Engine): Promise<Exchange> => {
  const [, lambda] = [...functions].find(([id]) => id.startsWith('CreateSandbox')) ?? [];
  let responded = false;
  const response = sendRecorded(url, 'createSandbox', 'internal_error').finally(() => {
    responded = true;
  });
  while (!responded) {
    await lambda?.killBusyInstances();
    await new Promise(setImmediate);
  }
  return response;
};

/** Stops the database, so that the functions cannot reach their table. */
const unavailable = async ({ url = '' }: Engine, stopTable: () => Promise<void>) => {
  await stopTable();
  return sendRecorded(url, 'listSandboxes', 'unavailable');
};
