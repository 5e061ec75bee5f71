import { randomUUID } from 'node:crypto';
import type { Event } from '../../functions/domain/events.ts';
import type { ProblemCode } from '../../functions/domain/problem.ts';
import { responseHeaders } from '../../functions/domain/response-headers.ts';
import { addStage, createApp, withoutValidation } from '../../lib/app.ts';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { startDynamodb, startEngine } from '../../lib/local/local-engine.ts';
import type { Exchange } from '../../lib/openapi/examples.ts';
import { readSettings } from '../../lib/settings.ts';
import { stayOnThisMachine } from '../command-line/stay-on-this-machine.ts';
import { loadDemoData } from '../local-run/demo-data.ts';
import { localEnvironment } from '../stack-file/local-environment.ts';
import { recordEvents, recordRedaction } from './record-events.ts';
import { recordExchanges } from './record-exchanges.ts';
import { recorderOf } from './send-recorded.ts';

/** Starts the service and records an example of every success, every problem, and of events. */
export const recordExamples = async (): Promise<{ exchanges: Exchange[]; events: Event[] }> => {
  stayOnThisMachine();
  const app = createApp({ outdir: buildDirectory(), ...withoutValidation });
  await addStage(app, readSettings());
  const assembly = app.synth();
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
    const record = recorderOf(url);
    const responded = await recordExchanges(record);
    const events = await recordEvents([responded, await recordRedaction()], async () => published);
    await dynamodb.stop();
    const unavailable = await record('listSandboxes', 'unavailable');
    const exchanges = [
      ...responded,
      ...gatewayTypes.map((each) => gatewayResponse(assembly.stacks[0]?.template, ...each)),
      unavailable,
    ];
    return { exchanges, events };
  } finally {
    await stack.stop();
    await dynamodb.stop();
  }
};

/** The parts of a template that are read here. */
interface RecordedTemplate {
  readonly Resources: Readonly<Record<string, { readonly Properties: GatewayResponse }>>;
}

interface GatewayResponse {
  readonly ResponseType: string;
  readonly StatusCode: string;
  readonly ResponseParameters: Readonly<Record<string, string>>;
  readonly ResponseTemplates: { readonly 'application/json': string };
}

/** What does not occur here has the response of the template, by the type that it has there. */
const gatewayTypes: readonly [ProblemCode, string][] = [
  ['rate_limited', 'THROTTLED'],
  ['request_blocked', 'WAF_FILTERED'],
  ['outcome_unknown', 'INTEGRATION_TIMEOUT'],
  ['internal_error', 'DEFAULT_5XX'],
];

const gatewayResponse = (
  { Resources }: RecordedTemplate,
  name: ProblemCode,
  type: string,
): Exchange => {
  const found = Object.values(Resources).find(({ Properties }) => Properties.ResponseType === type);
  if (!found) throw new Error(`The template has no gateway response ${type}.`);
  const { StatusCode, ResponseParameters, ResponseTemplates } = found.Properties;
  const { 'gatewayresponse.header.Retry-After': retryAfter } = ResponseParameters;
  const requestId = randomUUID();
  const body = ResponseTemplates['application/json'].replace('$context.requestId', requestId);
  return {
    operation: 'listSandboxes',
    name,
    request: { method: 'GET', path: '/v1/sandboxes?limit=1', headers: {} },
    response: {
      status: Number(StatusCode),
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
