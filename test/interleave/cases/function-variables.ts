import { outbox, queueVariable } from '../../../functions/domain/outbox.ts';
import { credentials, region } from '../../../lib/local/aws-account.ts';

/** The table of all schedules. */
export const tableName = 'interleave';

/** What the stack and Lambda set for every function. The addresses are not used. */
export const variables = {
  TABLE_NAME: tableName,
  ...Object.fromEntries(
    Object.keys(outbox).map((queue) => [queueVariable(queue), `http://sqs/${queue}`]),
  ),
  QUEUE_URL: 'http://sqs/queue',
  DEAD_LETTERS_URL: 'http://sqs/dead-letters',
  EVENT_BUS: 'bus',
  SENDER: 'offers@example.com',
  CONFIGURATION_SET: 'offers',
  POWERTOOLS_SERVICE_NAME: 'interleave',
  POWERTOOLS_METRICS_NAMESPACE: 'Interleave',
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
};
