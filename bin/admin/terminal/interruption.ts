import { constants } from 'node:os';

/** npm repeats a SIGINT that the terminal has sent already: the copy is ignored. */
const pairMs = 1000;

/** Aborts at Ctrl-C, for a command that then ends by itself; another Ctrl-C ends the process. */
export const interruption = (): AbortSignal => {
  const controller = new AbortController();
  let firstMs: number | undefined;
  process.on('SIGINT', () => {
    if (firstMs && Date.now() - firstMs > pairMs) process.exit(interruptedCode);
    if (firstMs) return;
    firstMs = Date.now();
    const start = process.stderr.isTTY ? '\n' : '';
    console.error(`${start}Waiting for the writes in progress. Press Ctrl-C again to end at once.`);
    controller.abort();
  });
  return controller.signal;
};

/**
 * Runs work that ends at once, and removes what it has to remove, when its signal is aborted: at
 * Ctrl-C, or when its terminal or the reader of its output is gone. The reason is the name of the
 * process's signal.
 */
export const untilInterrupted = async <T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const controller = new AbortController();
  const abort = (name: string) => controller.abort(name);
  // npm and the terminal may both send the signal. bin/admin/command-line.ts sends SIGPIPE.
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGPIPE'];
  for (const name of names) process.on(name, abort);
  try {
    return await run(controller.signal);
  } finally {
    for (const name of names) process.off(name, abort);
  }
};

/** The exit code of a command that a signal has ended, as in shells. */
export const exitCodeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

/** That of Ctrl-C. */
export const interruptedCode = exitCodeOf('SIGINT');
