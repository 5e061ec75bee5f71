import type { TestContext } from 'vitest';
import type { Response } from './send-request.ts';

/** The last requests of the running test. */
let requests: string[] = [];
const most = 10;

/** Notes a request: by the Request-Id operators find it in the logs. */
export const noteRequest = (method: string, path: string, { status, headers }: Response): void => {
  const id = headers.get('request-id');
  requests.push(`${method} ${path.slice(0, 80)}: ${status} [Request-Id ${id}]`);
  requests = requests.slice(-most);
};

/** Adds to what a test failed with the requests that it sent. A hook after each test. */
export const nameRequests = ({ task }: Pick<TestContext, 'task'>): void => {
  const sent = ['', ...requests.splice(0)].join('\n');
  for (const error of task.result?.errors ?? []) {
    const { message } = error;
    error.message = `${message}${sent}`;
    // Reporters print either.
    if (error.stack) error.stack = error.stack.replace(message, () => error.message);
  }
};
