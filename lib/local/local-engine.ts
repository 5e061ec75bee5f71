/**
 * The local engine's entry point: the rest of the repository imports this file, and of the others
 * only `aws-account.ts`. What takes long to load, such as the AWS SDK, is loaded by the functions
 * that need it, so that `npm start` can start Java first.
 */
import type { Engine, EngineOptions } from './engine.ts';
import type { FunctionSettings } from './lambda/function-instance.ts';
import type { QueueService } from './sqs/queue-service.ts';

export type { RequestLog } from './api-gateway/api-gateway.ts';
export { readAuthorizerResponse } from './api-gateway/authorizer.ts';
export { Clock } from './clock.ts';
export { checkJava, startDynamodb } from './dynamodb/dynamodb.ts';
export type { Engine } from './engine.ts';
export type { BusEvent } from './event-bridge/event-buses.ts';
export type { FunctionSettings } from './lambda/function-instance.ts';
export { LambdaFunction } from './lambda/lambda-function.ts';
export { consumeQueue } from './lambda/queue-event-source.ts';
export { type Log, oneLine } from './log-lines.ts';
export { type Listener, rejectForeignHosts } from './server/listen.ts';
export { QueueService } from './sqs/queue-service.ts';
export { startSqsServer } from './sqs/sqs-server.ts';

/**
 * Runs a synthesized template on this machine; all but DynamoDB Local listens on 127.0.0.1 alone.
 *
 * @throws Error when something cannot start; what has started is stopped
 */
export const startEngine = async (options: EngineOptions): Promise<Engine> => {
  const { startEngine } = await import('./engine.ts');
  return startEngine(options);
};

/**
 * Reads the functions of a template to run them by themselves, each as a `LambdaFunction`. Its
 * queues are created in `queues`, which responds at `sqsUrl`.
 *
 * @throws Error when the template cannot run locally
 */
export const readFunctions = async (
  assemblyDirectory: string,
  queues: QueueService,
  sqsUrl: string,
): Promise<FunctionSettings[]> => {
  const { Template } = await import('./cloudformation/template.ts');
  const { readQueues } = await import('./sqs/queue-service.ts');
  const { readFunctionSettings } = await import('./lambda/lambda-function.ts');
  const template = new Template(assemblyDirectory, sqsUrl);
  for (const queue of readQueues(template)) queues.create(queue);
  const settings = [...readFunctionSettings(template).values()];
  template.requireRunnable();
  return settings;
};
