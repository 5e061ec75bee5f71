import { setTimeout as sleep } from 'node:timers/promises';
import { longestRequestMs } from '../table/redact-workspace.ts';

/** The pause of a redaction, until the requests have ended that may have read the data. */
export const waitForRequests = (): Promise<void> => {
  console.error(`Waiting ${longestRequestMs / 1000} seconds for requests in progress.`);
  return sleep(longestRequestMs);
};
