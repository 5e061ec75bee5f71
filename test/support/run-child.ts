import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { AdminError } from '../../bin/admin/terminal/admin-error.ts';

const root = join(import.meta.dirname, '../..');
const printedLines = 40;

/** Runs commands of the project with an environment of their own. */
export type RunChild = (script: string, ...args: readonly string[]) => Promise<string>;

/**
 * A runner of scripts.
 *
 * @returns a function that resolves with what the script printed
 * @throws AdminError with the end of it when the script fails
 */
export const childRunner =
  (environment: NodeJS.ProcessEnv): RunChild =>
  async (script, ...args) => {
    const child = spawn(process.execPath, [join(root, script), ...args], {
      cwd: root,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close');
    const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = await closed;
    if (code === 0) return out;
    const lines = `${out}${error}`.trimEnd().split('\n').slice(-printedLines);
    throw new AdminError(`${script} ${args.join(' ')} exited with ${code}:\n${lines.join('\n')}`);
  };
