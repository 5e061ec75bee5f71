/** Works on the elements of a source, up to `workers` at a time, and takes no more than it works on. */
export const inParallel = async <T>(
  source: AsyncGenerator<T>,
  workers: number,
  work: (element: T) => Promise<void>,
): Promise<void> => {
  const worker = async () => {
    for await (const element of source) await work(element);
  };
  await Promise.all(Array.from({ length: workers }, worker));
};
