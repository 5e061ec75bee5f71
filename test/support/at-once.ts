import type { Answer } from './http.ts';

/** A few more than a function has instances in the tests. */
const atATime = 10;

/**
 * Sends many requests, as many at once as can be: more than a function has instances would only wait for one,
 * and on a busy machine longer than the gateway waits. Such a machine may answer some with 503; these are sent
 * again, as the answer says.
 */
export const atOnce = async (
  count: number,
  send: (index: number) => Promise<Answer>,
): Promise<Answer[]> => {
  const answers: Answer[] = [];
  let next = 0;
  const sendUntilTaken = async (index: number): Promise<Answer> => {
    const answer = await send(index);
    return answer.status === 503 ? sendUntilTaken(index) : answer;
  };
  const work = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      answers[index] = await sendUntilTaken(index);
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return answers;
};
