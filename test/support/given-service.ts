import { type GivenService, givenVariable } from '../../bin/smoke/given-service.ts';
import { own as note } from '../../bin/smoke/owned.ts';

/** Absent where the service goes with what is made in it: in `npm test`, and outside tests. */
export const given: GivenService | undefined =
  JSON.parse(process.env[givenVariable] ?? 'null') ?? undefined;

// Builders of tenants run outside tests too.
const vitest = given && (await import('vitest'));

/** Skips the running test, and says why. */
const skip = (why: string): never => {
  vitest?.TestRunner.getCurrentTest()?.context.skip(why);
  throw new Error(why);
};

/** Skips the running test where nothing may be written, or only a token is known. */
export const requireTable = (): void => {
  if (given?.token) skip('It writes, or needs the table: use --stage or the local run.');
};

/** Skips the running test where its request is for sandboxes, and the token of a test workspace. */
export const requireLive = (path: string, token: string | undefined): void => {
  if (given?.workspace && token === given.token && path.startsWith('/v1/sandboxes')) {
    skip('Sandboxes belong to live workspaces.');
  }
};

/** Skips the running test where no mail can be sent. */
export const requireMail = (): void => {
  if (given?.mailFault) skip(given.mailFault);
};

/**
 * A part of an identifier that is longer than DynamoDB's keys. The firewall of a stage blocks a
 * path of more than 1,024 bytes, and a query of more than 2,048 (AWS WAF Developer Guide, "Baseline
 * rule groups").
 */
export const tooLong = 'x'.repeat(given && !given.mailbox ? 900 : 5000);

/** Skips the running test on AWS, or where a URL is all that is known. */
export const requireLocal = (why: string): void => {
  if (given && !given.mailbox) skip(why);
};

/** Notes partitions as those of the run, before anything is written to them. */
export const ownPartitions = (...partitions: readonly string[]): void => {
  requireTable();
  if (given?.ownedFile) note(given.ownedFile, ...partitions);
};
