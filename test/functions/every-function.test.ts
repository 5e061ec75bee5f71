import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { sandboxItem, saveNewSandbox } from '../../functions/store/sandboxes.ts';
import { functionNames } from '../../lib/bundles/bundles.ts';
import type { FunctionSettings } from '../../lib/local/local-engine.ts';
import {
  authorization,
  inserted,
  messages,
  outboxMessage,
  requestTo,
  type Sent,
} from '../support/function-events.ts';
import { serverOf } from '../support/servers.ts';
import { waitingSandbox } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { useFunctions } from '../support/use-functions.ts';
import { metricsIn } from './recorded-metrics.ts';

const { deployed, settingsOf, tenant } = await useFunctions();
const { workspace } = tenant;

/** The path of AWS's runtime client for Node.js, which `.ci/runtime-client` installs. */
const runtimeClient = process.env.RUNTIME_CLIENT ?? '';

/**
 * Runs a function in AWS's runtime client, which polls a Runtime API for events ("Using the Lambda
 * runtime API for custom runtimes" in the Lambda developer guide).
 *
 * @returns its response to an event
 */
const responseIn = async (settings: FunctionSettings, event: object): Promise<unknown> => {
  const { name, codeDirectory, handler, timeoutMs, memoryMb, environment } = settings;
  const { promise: result, resolve, reject } = Promise.withResolvers<unknown>();
  let isGiven = false;
  const api = await serverOf(async (request, response) => {
    if (request.url?.endsWith('/invocation/next')) {
      // Later polls wait until the test is over.
      if (isGiven) return;
      isGiven = true;
      response
        .writeHead(200, {
          'Content-Type': 'application/json',
          'Lambda-Runtime-Aws-Request-Id': randomUUID(),
          'Lambda-Runtime-Deadline-Ms': Date.now() + timeoutMs,
          'Lambda-Runtime-Invoked-Function-Arn': `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
        })
        .end(JSON.stringify(event));
      return;
    }
    const body = await json(request);
    response.writeHead(202).end('{}');
    if (request.url?.endsWith('/response')) resolve(body);
    else reject(new Error(JSON.stringify(body)));
  });
  const child = spawn(process.execPath, [runtimeClient], {
    cwd: codeDirectory,
    env: {
      ...environment,
      AWS_LAMBDA_RUNTIME_API: new URL(api).host,
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
      AWS_LAMBDA_LOG_GROUP_NAME: 'log-group',
      AWS_LAMBDA_LOG_STREAM_NAME: 'log-stream',
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      LAMBDA_TASK_ROOT: codeDirectory,
      _HANDLER: handler,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  child.once('exit', (code, signal) =>
    reject(new Error(`The runtime client ended with ${code ?? signal}.`)),
  );
  onTestFinished(() => void child.kill());
  return result;
};

const none = { batchItemFailures: [] };

const sandbox = waitingSandbox(workspace);
await saveNewSandbox(sandbox, author);

const request = (route: Route, status: number, sent: Partial<Sent> = {}) =>
  [requestTo(route, { tenant, key: randomUUID(), ...sent }), { statusCode: status }] as const;

/** An event of each function as AWS sends it, and members of the response. */
const recorded: Readonly<Record<string, readonly [event: object, response: object]>> = {
  authorize: [
    authorization(routes.listSandboxes, `Bearer ${tenant.token}`),
    { principalId: workspace },
  ],
  'approve-payment-request': request(routes.approvePaymentRequest, 404, {
    id: 'ptr_none',
    body: { approver: tenant.manager },
  }),
  'create-sandbox': request(routes.createSandbox, 201, { body: { name: 'Sandbox' } }),
  'list-sandboxes': request(routes.listSandboxes, 200),
  'resend-offer': request(routes.resendOffer, 404, { id: 'ofr_none' }),
  'publish-events': [inserted({ ...sandboxItem(sandbox), author }), none],
  'relay-outbox': [inserted(), none],
  'provision-sandbox': [messages(outboxMessage('Provisioning', sandbox)), none],
  'deliver-offer': [messages(), none],
  'record-mail-event': [messages(), none],
  'import-record': [messages(), none],
};

test('there is an event for each function', () => {
  expect(Object.keys(recorded).sort()).toEqual(functionNames.toSorted());
});

test.each(Object.entries(recorded))(
  'a cold start of %s is counted once, by the service alone',
  async (service, [event]) => {
    const lambda = deployed(service);
    await lambda.invoke(event);
    await lambda.invoke(event);
    const coldStarts = metricsIn(lambda.log).filter(({ name }) => name === 'ColdStart');
    const counted = { name: 'ColdStart', unit: 'Count', values: [1], dimensions: { service } };
    expect(coldStarts).toEqual([{ namespace: 'WorkforcePayments/dev', ...counted }]);
  },
);

test.skipIf(!runtimeClient).each(Object.entries(recorded))(
  "%s responds in AWS's runtime client",
  async (name, [event, response]) => {
    const result = await responseIn(settingsOf(name), event);
    expect(result).toEqual(expect.objectContaining(response));
  },
);
