/**
 * Has the process outlive the reader of its output, who may close the pipe early, as `head` does:
 * what was begun is done, unless `stop` ends it.
 *
 * @param report called once when the output cannot be written for another reason
 */
export const outliveReaders = (
  stop: () => void = () => {},
  report: (error: Error) => Promise<void> = async () => {},
): void => {
  let isLost = false;
  for (const stream of [process.stdout, process.stderr]) {
    // Every further write fails too.
    stream.on('error', async (error: NodeJS.ErrnoException) => {
      if (isLost) return;
      isLost = true;
      if (error.code !== 'EPIPE') await report(error);
      stop();
    });
  }
};
