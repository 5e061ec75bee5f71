import type { EventEmitter } from 'node:events';
import { type Command, Help, type Option } from 'commander';
import { AdminError, UsageError } from './admin-error.ts';
import { outliveReaders } from './outlive-readers.ts';

const helpFormat: Partial<Help> = {
  showGlobalOptions: true,
  optionDescription: (option: Option) =>
    `${Help.prototype.optionDescription(option)}${option.mandatory ? ' (required)' : ''}`,
};

/**
 * Runs the action that the command line names, and sets the exit code of the process.
 *
 * @param stop what ends the action when nobody reads its output; without it, it is done to its end
 */
export const runProgram = async (program: Command, stop?: () => void): Promise<void> => {
  // Read from here, since the command line may be wrong.
  const hasJson = program.options.some(({ long }) => long === '--json');
  const json = hasJson && process.argv.includes('--json');
  // What is imported here makes clients of AWS, and takes longer than most programs' start.
  const report = async (error: unknown) => {
    const { reportError } = await import('./report-error.ts');
    process.exitCode = reportError(error, json);
  };
  outliveReaders(stop, ({ message }) =>
    report(new AdminError(`The output could not be written: ${message}.`)),
  );
  try {
    prepare(program, json);
    program.hook('preAction', refuseEmptyArguments);
    await program.parseAsync();
  } catch (error) {
    await report(error);
  }
};

/** Commander passes these on only to subcommands that it creates itself. */
const prepare = (command: Command, json: boolean): void => {
  // A suggestion may be a command that destroys.
  command.exitOverride().configureHelp(helpFormat).showSuggestionAfterError(false);
  if (json) command.configureOutput({ writeErr: () => {} });
  for (const option of command.options) refuseMisuse(command, option);
  for (const each of command.commands) prepare(each, json);
};

/**
 * Makes an option that is given twice an error, of which commander takes the last value in silence,
 * unless it takes several values, and one that is empty: that is the value of a variable that is
 * not set. A command would take the option for one that was left out, and do to everything what was
 * meant for one thing.
 */
const refuseMisuse = (command: Command, option: Option): void => {
  // Commander's own listener, which sets the value, comes after this one. Its types do not say
  // that a command emits events.
  (command as object as EventEmitter).prependListener(`option:${option.name()}`, (value) => {
    if (value === '') command.error(`error: ${option.long} is empty.`);
    const isGiven = command.getOptionValueSource(option.attributeName()) === 'cli';
    if (isGiven && !option.variadic) {
      command.error(`error: option '${option.flags}' is given more than once`);
    }
  });
};

const refuseEmptyArguments = (_: Command, { args }: Command): void => {
  if (args.includes('')) throw new UsageError('An argument is empty.');
};
