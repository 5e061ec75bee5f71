import type { Author } from '../../functions/domain/author.ts';

/** A service that was not started for the tests, as `bin/wfp smoke` describes it. */
export interface GivenService {
  /** The base URL of the API, without a slash at its end. */
  readonly url: string;
  /** Given with a URL alone. A token with every scope, of a live workspace or of `workspace`. */
  readonly token?: string;
  /** Given with a token: the test workspace that it is of, whose data the tests use. */
  readonly workspace?: string;
  /** Given without a token: the id of the run, a ULID. */
  readonly run?: string;
  /** Given with a run: the file of the partitions that belong to it. */
  readonly ownedFile?: string;
  readonly author?: Author;
  /** Where mails arrive; none on AWS, where SES reports what becomes of them. */
  readonly mailbox?: string;
  /** Why no mail can be sent, if so. */
  readonly mailFault?: string | undefined;
  readonly eventBus?: string | undefined;
}

/** A new AWS account runs ten functions at once: each of three workers sends two requests. */
export const workers = 3;
/** For each of the workers. */
export const requestsAtOnce = 2;
/** How long a request waits: longer than API Gateway waits for a function, 29 s. */
export const callMs = 60_000;

/** The variable in which workers get it, as JSON. */
export const givenVariable = 'SMOKE_SERVICE';
