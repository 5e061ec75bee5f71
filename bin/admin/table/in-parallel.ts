/** Calls to DynamoDB at once: many, because most of a call is waiting. */
export const parallelCalls = 32;

/**
 * Works on the elements of a source, up to `workers` at a time, and takes no more than it works on.
 *
 * @returns the results, in the order of the elements
 */
export async function* inParallel<T, R>(
  source: AsyncIterable<T> | Iterable<T>,
  workers: number,
  work: (element: T) => Promise<R>,
): AsyncGenerator<R> {
  const running: Promise<R>[] = [];
  for await (const element of source) {
    const result = work(element);
    // It is awaited in its turn; without this, a failure before then would end the process.
    result.catch(() => {});
    if (running.push(result) >= workers) yield (await running.shift()) as R;
  }
  for (const result of running) yield await result;
}

/** The elements of a source in their order, so many at a time. */
export async function* inBatches<T>(
  source: AsyncIterable<T> | Iterable<T>,
  size: number,
): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const element of source) {
    batch.push(element);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
