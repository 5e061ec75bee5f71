import type { Command } from 'commander';
import { connect, type Service } from './connect.ts';
import type { Options } from './options.ts';

/**
 * Makes a command's action of what it does with the service that its options name.
 *
 * @param act gets the service, the options, and the command's arguments
 * @returns an action for Commander, which passes the arguments, the command's own options and the
 * command
 */
export const withService =
  <Given extends Options, Arguments extends unknown[]>(
    act: (service: Service, options: Given, ...args: Arguments) => Promise<void>,
  ) =>
  async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command;
    const options = command.optsWithGlobals<Given>();
    await act(await connect(options), options, ...(given.slice(0, -2) as Arguments));
  };
