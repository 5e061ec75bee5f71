import * as z from 'zod/mini';
import { Timestamp } from './identifiers.ts';

/** Who made an effect, and with which request. Its time is `created`, beside it on the item. */
export const Author = z.object({
  /**
   * `tok_…`, the public id of an access token; `operator:` and an AWS principal or user; or
   * `sender:` and the SenderId that SQS gives a message of a record.
   */
  actor: z.string().check(z.regex(/^(tok_[0-9A-Z]{26}|(operator|sender):.+)$/)),
  /** The Request-Id of the response, or the id of an operator's command or of a message. */
  request: z.string().check(z.regex(/^[\w-]{1,100}$/)),
  /** That of the API, with which every path starts. */
  version: z.string(),
});
export type Author = z.infer<typeof Author>;

/** What was done to an item later, by whom and when. */
export const Act = z.object({ ...Author.shape, at: Timestamp });
export type Act = z.infer<typeof Act>;

/**
 * The author of what a request or a command writes.
 *
 * A client can choose its request id: the header x-amzn-RequestId overrides API Gateway's own
 * (Amazon API Gateway Developer Guide, "Set up CloudWatch logging"). So the id is cut down to what
 * every place that carries it takes; the narrowest is a message tag of SES.
 */
export const newAuthor = (actor: string, requestId: string): Author => ({
  actor,
  request: requestId.replaceAll(/[^\w-]/g, '_').slice(0, 100) || '_',
  version: 'v1',
});

export const authorIn = ({ author }: Record<string, unknown>): Author => Author.parse(author);
