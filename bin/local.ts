import { bypassProxy } from './bypass-proxy.ts';
import { keepCompiled } from './keep-compiled.ts';
import { LocalRun } from './local-run/local-run.ts';
import { parseOptions } from './local-run/options.ts';
import { startProgress } from './local-run/start-progress.ts';

keepCompiled();
bypassProxy();

const startedAt = performance.now();
const options = parseOptions();
const progress = startProgress();
let isStopping = false;

const stop = async (exitCode = 0): Promise<void> => {
  if (isStopping) return;
  isStopping = true;
  progress.end();
  const data = await run.stop();
  if (data && exitCode === 0) console.log(`Stopped. ${data}`);
  process.exit(exitCode);
};

const fail = (error: unknown): never => {
  progress.end();
  const { code, port, message } = error as NodeJS.ErrnoException & { readonly port?: number };
  console.error(code === 'EADDRINUSE' ? `Port ${port} is taken; give another --port.` : message);
  process.exit(1);
};

const run = new LocalRun(options, progress, {
  onFailed: fail,
  onLost: (reason) => {
    progress.print(reason, 'failed');
    void stop(1);
  },
});
// SIGHUP: the terminal was closed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop());
// The reader of a pipe has ended, or a disk is full.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', ({ message }) => {
    if (!isStopping) console.error(`The output cannot be written: ${message}.`);
    void stop(1);
  });
}
// Killing npm leaves its child running, with another parent.
const parent = process.ppid;
setInterval(() => process.ppid === parent || stop(), 1000).unref();

try {
  await run.start();
  console.log(`Ready after ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
} catch (error) {
  fail(error);
}
