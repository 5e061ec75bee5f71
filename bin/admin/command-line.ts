import { type Command, Help, type Option } from 'commander';
import { AdminError, UsageError } from '../command-line/admin-error.ts';
import { refuseRepeated } from '../command-line/refuse-repeated.ts';
import { reportError } from '../command-line/report-error.ts';
import { program } from './program.ts';

// Read from here, since the command line may be wrong.
const json = process.argv.includes('--json');

const helpFormat: Partial<Help> = {
  showGlobalOptions: true,
  optionDescription: (option: Option) =>
    `${Help.prototype.optionDescription(option)}${option.mandatory ? ' (required)' : ''}`,
};

/** Commander passes these on only to subcommands that it creates itself, unlike these. */
const prepare = (command: Command): void => {
  command.exitOverride().configureHelp(helpFormat);
  if (json) command.configureOutput({ writeErr: () => {} });
  command.commands.forEach(prepare);
};

/**
 * An empty text is the value of a variable that is not set. A command would take the option for one
 * that was left out, and do to everything what was meant for one thing.
 */
const refuseEmpty = (_: Command, command: Command): void => {
  const [empty] = [command, program].flatMap((each) =>
    each.options.filter(
      (option) =>
        each.getOptionValueSource(option.attributeName()) === 'cli' &&
        each.getOptionValue(option.attributeName()) === '',
    ),
  );
  if (empty) throw new UsageError(`${empty.long} is empty.`);
  if (command.args.includes('')) throw new UsageError('An argument is empty.');
};

let unwritten: Error | undefined;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Every further write fails too.
  if (unwritten) return;
  unwritten = error;
  // The reader may close the pipe early, as `head` does.
  if (error.code === 'EPIPE') process.exit();
  const reason = new AdminError(`The output could not be written: ${error.message}.`);
  process.exitCode = reportError(reason, json);
});

/** Runs the command that the command line names, and sets the exit code of the process. */
export const runCommandLine = async (): Promise<void> => {
  try {
    prepare(program);
    refuseRepeated(program);
    program.hook('preAction', refuseEmpty);
    await program.parseAsync();
  } catch (error) {
    if (error !== unwritten) process.exitCode = reportError(error, json);
  }
};
