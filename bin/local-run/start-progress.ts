import { styleText } from 'node:util';
import type { Log } from '../../lib/local/local-engine.ts';
import { TerminalLine } from '../terminal-line.ts';

/** Reports the steps of a start. */
export interface StartProgress {
  /** Shows the current step: in place on a terminal, as a line in a pipe. */
  readonly say: (step: string) => void;
  /** Prints a line of the log above the step. Only a terminal gets colours, without NO_COLOR. */
  readonly print: Log;
  /** Removes the step from the terminal. */
  readonly end: () => void;
}

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const colours = { retried: 'yellow', failed: 'red' } as const;

/** Reports how far `npm start` is. */
export const startProgress = (): StartProgress => {
  const line = new TerminalLine(process.stdout);
  let step = '';
  let frame = 0;
  const draw = () => {
    if (step === '') return;
    frame = (frame + 1) % spinner.length;
    line.show(`${spinner[frame]} ${step} …`);
  };
  const timer = setInterval(draw, 100).unref();
  return {
    say: (next) => {
      step = next;
      if (process.stdout.isTTY) draw();
      else console.log(`${step} …`);
    },
    print: (text, status) => {
      line.clear();
      console.log(status === 'done' ? text : styleText(colours[status], text));
      draw();
    },
    end: () => {
      line.clear();
      step = '';
      clearInterval(timer);
    },
  };
};
