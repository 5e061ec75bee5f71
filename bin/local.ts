import { styleText } from 'node:util';
import { keepCompiled } from './command-line/keep-compiled.ts';
import { runProgram } from './command-line/run-program.ts';
import { stayOnThisMachine } from './command-line/stay-on-this-machine.ts';
import { type LocalOptions, program } from './local-run/options.ts';
import { runService } from './local-run/run-service.ts';

keepCompiled();
stayOnThisMachine();

const startedAt = performance.now();
const elapsed = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
const colours = { retried: 'yellow', failed: 'red' } as const;
let stopRun: (() => Promise<void>) | undefined;
let isStopping = false;

/** Until it has started, the end of this process ends all that it runs. */
const stop = async (exitCode = process.exitCode): Promise<void> => {
  if (isStopping) return;
  isStopping = true;
  if (!exitCode) console.log('Stopping …');
  await stopRun?.();
  process.exit(exitCode);
};

// SIGHUP: the terminal was closed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop());

program.action(async (options: LocalOptions) => {
  try {
    stopRun = await runService(options, {
      say: (step) => console.log(`${elapsed().padStart(7)}  ${step}`),
      // Only a terminal gets colours, without NO_COLOR.
      log: (line, status) =>
        console.log(status === 'done' ? line : styleText(colours[status], line)),
      onLost: (reason) => {
        console.error(reason);
        void stop(1);
      },
    });
    console.log(`Ready after ${elapsed()}.`);
  } catch (error) {
    const { code, port, message } = error as NodeJS.ErrnoException & { readonly port?: number };
    console.error(code === 'EADDRINUSE' ? `Port ${port} is taken; give another --port.` : message);
    process.exit(1);
  }
});
await runProgram(program, stop);
