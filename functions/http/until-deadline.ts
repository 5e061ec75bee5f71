import { Problem } from '../domain/problem.ts';
import { currentWork, WriteTries } from '../store/write-tries.ts';

/**
 * Does a request's work until it has a response, or until the deadline. Then its calls to DynamoDB
 * are aborted and none begins: Lambda freezes an instance after the response, and a write left
 * behind would be committed when it is thawed for another request, maybe minutes later.
 *
 * @throws Problem `unavailable` at the deadline, or OutcomeUnknown if the effect's write was sent
 * by then
 */
export const untilDeadline = async <T>(
  deadline: AbortSignal,
  run: () => Promise<T>,
): Promise<T> => {
  const tries = new WriteTries();
  const ended = new AbortController();
  const { promise: timeIsUp, reject } = Promise.withResolvers<never>();
  deadline.addEventListener('abort', () => {
    const tooLong = 'The request took too long. Nothing was changed. Send it again.';
    reject(tries.errorFor(new Problem('unavailable', tooLong)));
  });
  try {
    return await Promise.race([currentWork.run({ deadline: ended.signal, tries }, run), timeIsUp]);
  } finally {
    ended.abort();
  }
};
