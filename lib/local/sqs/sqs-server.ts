import { type Dialect, startJsonServer } from '../server/json-server.ts';
import type { Listener } from '../server/listen.ts';
import type { QueueService } from './queue-service.ts';
import { sqsOperations } from './sqs-operations.ts';

/**
 * Speaks the part of SQS that a service uses, in the JSON protocol of today's SDKs.
 *
 * @param log gets a line for each request that failed by a fault of the server
 */
export const startSqsServer = (
  service: QueueService,
  log?: (line: string) => void,
): Promise<Listener> => startJsonServer(sqsOperations(service), { log, dialect: sqsDialect });

const sqsDialect: Dialect = {
  contentType: 'application/x-amz-json-1.0',
  unknownOperation: 'UnsupportedOperation',
  errorNamespace: 'com.amazonaws.sqs#',
};
