import { credentials, region } from '../../lib/local/aws-account.ts';
import type { StackFile } from './stack-file.ts';

/** Where the table and the servers of a local run are. */
export type LocalService = Pick<StackFile, 'table' | 'endpoints'>;

/** The environment in which the code of `functions` finds a local run. */
export const localEnvironment = ({ table, endpoints }: LocalService) => ({
  TABLE_NAME: table,
  AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
  AWS_ENDPOINT_URL_SQS: endpoints.sqs,
  AWS_ENDPOINT_URL_SESV2: endpoints.ses,
  AWS_ENDPOINT_URL_EVENTBRIDGE: endpoints.eventbridge,
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
});
