import { randomUUID } from 'node:crypto';
import type { Event } from '../../functions/domain/events.ts';
import { problemDetails, problemHeaders, problems } from '../../functions/domain/problem.ts';
import { responseHeaders } from '../../functions/domain/response-headers.ts';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { startDynamodb, startEngine } from '../../lib/local/local-engine.ts';
import type { Exchange } from '../../lib/openapi/examples.ts';
import { addStage, createApp, withoutValidation } from '../../lib/stack/app.ts';
import { gatewayDetails } from '../../lib/stack/gateway-responses.ts';
import { readSettings } from '../../lib/stack/settings.ts';
import { stayOnThisMachine } from '../command-line/stay-on-this-machine.ts';
import { loadDemoData } from '../local-run/demo-data.ts';
import { localEnvironment } from '../stack-file/local-environment.ts';
import { recordEnd, recordEvents, recordRedaction, recordRefusal } from './record-events.ts';
import { recordExchanges } from './record-exchanges.ts';
import { recorderOf } from './send-recorded.ts';

/** Starts the service and records an example of every success, every problem, and of events. */
export const recordExamples = async (): Promise<{ exchanges: Exchange[]; events: Event[] }> => {
  stayOnThisMachine();
  const app = createApp({ outdir: buildDirectory(), ...withoutValidation });
  await addStage(app, readSettings('dev', { keepData: false }));
  const dynamodb = await startDynamodb();
  const published: Event[] = [];
  const stack = await startEngine({
    assemblyDirectory: app.synth().directory,
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
    for (const { operation, name, response } of responded) {
      console.log(operation, name, response.status, Object(response.body).code ?? '');
    }
    const sent = [await recordRedaction(), await recordEnd()];
    const refused = await recordRefusal(outputs.ImportQueueUrl);
    const events = await recordEvents([responded, sent, refused], async () => published);
    await dynamodb.stop();
    const unavailable = await record('listSandboxes', 'unavailable');
    const exchanges = [...responded, ...gatewayProblems.map(gatewayResponse), unavailable];
    return { exchanges, events };
  } finally {
    await stack.stop();
    await dynamodb.stop();
  }
};

/** What does not occur here has the response that the template gives it. */
const gatewayProblems = [
  'rate_limited',
  'request_blocked',
  'outcome_unknown',
  'internal_error',
] as const;

const gatewayResponse = (name: (typeof gatewayProblems)[number]): Exchange => {
  const requestId = randomUUID();
  return {
    operation: 'listSandboxes',
    name,
    request: { method: 'GET', path: '/v1/sandboxes?limit=1', headers: {} },
    response: {
      status: problems[name].status,
      headers: {
        'Content-Type': 'application/problem+json',
        'Request-Id': requestId,
        ...responseHeaders,
        ...problemHeaders(name),
      },
      body: problemDetails(name, gatewayDetails[name], requestId),
    },
  };
};
