import { inject } from 'vitest';

/** The running service. Every test file loads this first, so that the store uses its table. */
export const stack = inject('stack');

Object.assign(process.env, {
  TABLE_NAME: stack.table,
  AWS_ENDPOINT_URL_DYNAMODB: stack.endpoints.dynamodb,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
});
