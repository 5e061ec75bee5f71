import type { EventEmitter } from 'node:events';
import type { Command } from 'commander';

/**
 * Makes an option that is given twice an error, for a command and its subcommands: commander takes
 * the last value in silence. An option that takes several values may be repeated.
 *
 * @returns the command
 */
export const refuseRepeated = <Given extends Command>(command: Given): Given => {
  for (const option of command.options.filter(({ variadic }) => !variadic)) {
    // Commander's own listener, which sets the value, comes after this one. Its types do not say
    // that a command emits events.
    (command as object as EventEmitter).prependListener(`option:${option.name()}`, () => {
      if (command.getOptionValueSource(option.attributeName()) !== 'cli') return;
      command.error(`error: option '${option.flags}' is given more than once`);
    });
  }
  command.commands.forEach(refuseRepeated);
  return command;
};
