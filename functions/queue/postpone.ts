import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import { environment } from '../runtime/environment.ts';
import { loggable } from '../telemetry/loggable.ts';
import { logger } from '../telemetry/logger.ts';
import { sqs } from './sqs.ts';

/**
 * Hides the message of this consumer for a time: Lambda leaves a message that its function reports
 * as failed where it is. If that fails, the message comes again after its visibility timeout.
 *
 * @param forMs 12 hours at most (Amazon SQS API Reference, ChangeMessageVisibility)
 */
export const postpone = async (ReceiptHandle: string, forMs: number): Promise<void> => {
  const QueueUrl = environment('QUEUE_URL');
  const VisibilityTimeout = Math.round(forMs / 1000);
  try {
    await sqs.send(
      new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }),
    );
  } catch (error) {
    logger.warn('postpone', { error: loggable(error) });
  }
};
