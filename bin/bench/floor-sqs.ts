import { SQSClient } from '@aws-sdk/client-sqs';

export { handler } from './floor.ts';

/** What a consumer loads besides, and calls only where something fails. */
export const sqs = new SQSClient();
