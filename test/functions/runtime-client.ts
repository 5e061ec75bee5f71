import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { FunctionSettings, LambdaFunction } from '../../lib/local/local-engine.ts';
import { serverOf } from '../support/servers.ts';

/** The path of AWS's runtime client for Node.js, which `.ci/runtime-client` installs. */
export const runtimeClient = process.env.RUNTIME_CLIENT ?? '';

/**
 * Runs a function in AWS's runtime client until the test ends. The client polls a Runtime API for
 * events ("Using the Lambda runtime API for custom runtimes" in the Lambda developer guide).
 *
 * @returns what gives it one event after another, and rejects with the error that the client posts
 */
export const startInRuntimeClient = async (
  settings: FunctionSettings,
): Promise<Pick<LambdaFunction, 'invoke'>> => {
  const { name, codeDirectory, handler, timeoutMs, memoryMb, environment } = settings;
  let poll = Promise.withResolvers<ServerResponse>();
  let result = Promise.withResolvers<unknown>();
  const fail = (message: string) => {
    for (const { promise, reject } of [poll, result]) {
      promise.catch(() => {});
      reject(new Error(message));
    }
  };
  const api = await serverOf(async (request, response) => {
    if (request.url?.endsWith('/invocation/next')) {
      poll.resolve(response);
      return;
    }
    const body = await json(request);
    response.writeHead(202).end('{}');
    if (request.url?.endsWith('/response')) result.resolve(body);
    else fail(JSON.stringify(body));
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
  child.once('exit', (code, signal) => fail(`The runtime client ended with ${code ?? signal}.`));
  onTestFinished(() => void child.kill());
  return {
    invoke: async (event) => {
      const response = await poll.promise;
      poll = Promise.withResolvers();
      result = Promise.withResolvers();
      response
        .writeHead(200, {
          'Content-Type': 'application/json',
          'Lambda-Runtime-Aws-Request-Id': randomUUID(),
          'Lambda-Runtime-Deadline-Ms': Date.now() + timeoutMs,
          'Lambda-Runtime-Invoked-Function-Arn': `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
        })
        .end(JSON.stringify(event));
      return result.promise;
    },
  };
};
