import { SQSClient } from '@aws-sdk/client-sqs';
import { batchTimeLimits, maxAttempts } from '../runtime/time-limits.ts';

export const sqs = new SQSClient({
  // The region's endpoint, or the one that is configured, decides; not the host in a queue's URL.
  useQueueUrlAsEndpoint: false,
  maxAttempts,
  requestHandler: batchTimeLimits,
});
