import { styleText } from 'node:util';
import type { Log } from '../lib/local/local-engine.ts';

/** Reports the steps of a start. */
export interface Progress {
  /** Says what is being done now: in place on a terminal, as a line in a pipe. */
  readonly say: (step: string) => void;
  /** Prints a line of the log above the step. Only a terminal gets colours, without NO_COLOR. */
  readonly print: Log;
  /** Removes the step from the terminal. */
  readonly end: () => void;
}

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const colours = { retried: 'yellow', failed: 'red' } as const;

/** Reports how far `npm start` is. */
export const startProgress = (): Progress => {
  const { isTTY, columns = 80 } = process.stdout;
  let step = '';
  let frame = 0;
  const draw = () => {
    if (!isTTY || step === '') return;
    frame = (frame + 1) % spinner.length;
    process.stdout.write(`\r\x1b[K${spinner[frame]} ${step} …`.slice(0, columns + 4));
  };
  const clear = () => {
    if (isTTY && step !== '') process.stdout.write('\r\x1b[K');
  };
  const timer = setInterval(draw, 100).unref();
  return {
    say: (next) => {
      step = next;
      if (isTTY) draw();
      else console.log(`${step} …`);
    },
    print: (line, outcome) => {
      clear();
      console.log(outcome === 'done' ? line : styleText(colours[outcome], line));
      draw();
    },
    end: () => {
      clear();
      step = '';
      clearInterval(timer);
    },
  };
};
