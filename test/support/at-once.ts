/** A few more than a function has instances in the tests. */
const atATime = 10;

/**
 * Does something many times, as many at once as can be: more requests than a function has instances
 * would only wait for one, and on a busy machine longer than the gateway waits.
 */
export const atOnce = async <Result>(
  count: number,
  make: (index: number) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = [];
  let next = 0;
  const work = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      results[index] = await make(index);
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return results;
};
