import { credentials, region } from '../aws-account.ts';

/** How long a call may wait, for a connection or for the next byte, before the SDK retries it. */
export const callTimeoutMs = 5000;

/** The settings with which a client of the SDK reaches the database. */
export const clientSettings = (endpoint: string) => ({
  endpoint,
  region,
  credentials,
  // Without limits, the SDK waits for ever. Its `requestTimeout` ends with the headers of a
  // response.
  requestHandler: { connectionTimeout: callTimeoutMs, socketTimeout: callTimeoutMs },
});
