/** Where a local run is, as `.local/stack.json` says. */
export interface LocalService {
  readonly table: string;
  readonly endpoints: {
    readonly dynamodb: string;
    readonly sqs: string;
    readonly eventbridge?: string | undefined;
  };
}

/** The environment in which the store and the SDKs find a local run. Nothing checks its credentials. */
export const localEnvironment = ({ table, endpoints }: LocalService): Record<string, string> => ({
  TABLE_NAME: table,
  AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
  AWS_ENDPOINT_URL_SQS: endpoints.sqs,
  ...(endpoints.eventbridge && { AWS_ENDPOINT_URL_EVENTBRIDGE: endpoints.eventbridge }),
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
});
