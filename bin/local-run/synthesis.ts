import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { SynthesisMessage } from './synthesize.ts';

/**
 * Synthesizes the template in a process of its own.
 *
 * @param bundles the directories of bundles that are made already, by the names of functions
 * @throws Error with the reason
 */
export const synthesize = async (
  directory: string,
  bundles: Readonly<Record<string, string>> | undefined,
  say: (step: string) => void,
): Promise<void> => {
  const made = bundles ? [JSON.stringify(bundles)] : [];
  const program = join(import.meta.dirname, 'synthesize.ts');
  const child = fork(program, [directory, ...made], { execArgv: [] });
  let reason = 'The template could not be synthesized.';
  child.on('message', (message: SynthesisMessage) => {
    if ('step' in message) say(message.step);
    else reason = message.error;
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(reason);
};
