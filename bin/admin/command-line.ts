import { type Command, Help, type Option } from 'commander';
import { commands, program } from './program.ts';
import { AdminError, UsageError } from './terminal/admin-error.ts';
import { reportError } from './terminal/report-error.ts';

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
  command.on('beforeHelp', () => refuseUnknown(command));
  if (json) command.configureOutput({ writeErr: () => {} });
  command.commands.forEach(prepare);
};

/** Commander prints the help of a group for any word after it. */
const refuseUnknown = (command: Command): void => {
  const word = command.args.find((arg) => arg !== 'help');
  if (word && !word.startsWith('-') && command.commands.length > 0) {
    command.error(`error: There is no command ${word}; --help lists them.`, { exitCode: 2 });
  }
};

/** The options of which an empty text is a value, or is an element of one. */
const emptyOptions: readonly (string | undefined)[] = ['--note', '--documents'];

/**
 * An empty text is the value of a variable that is not set. A command would take the option for one
 * that was left out, and do to everything what was meant for one thing.
 */
const refuseEmpty = (_: Command, command: Command): void => {
  const given = [command, program].flatMap((each) =>
    each.options.filter(
      (option) =>
        each.getOptionValueSource(option.attributeName()) === 'cli' &&
        [each.getOptionValue(option.attributeName())].flat().includes(''),
    ),
  );
  const empty = given.find(({ long }) => !emptyOptions.includes(long));
  if (empty) throw new UsageError(`${empty.long} is empty.`);
  if (command.args.includes('')) throw new UsageError('An argument is empty.');
};

/** Adds the command that the command line names; all of them for the help, or if it names none. */
const addCommands = async (): Promise<void> => {
  // Commander reads them again below, so none of them may take several values.
  const [name] = program.parseOptions(process.argv.slice(2)).operands;
  const named = Object.entries(commands).filter(([key]) => key === name);
  const loading = (named.length ? named : Object.entries(commands)).map(([, load]) => load());
  for (const { command } of await Promise.all(loading)) {
    prepare(command);
    program.addCommand(command);
  }
};

let unwritten: Error | undefined;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Every further write fails too.
  if (unwritten) return;
  unwritten = error;
  // The reader may close the pipe early, as `head` does.
  const isClosed = error.code === 'EPIPE';
  if (!isClosed) {
    const reason = new AdminError(`The output could not be written: ${error.message}.`);
    process.exitCode = reportError(reason, json);
  }
  // A command that has something to remove listens to SIGPIPE.
  if (!process.emit('SIGPIPE') && isClosed) process.exit();
});

/** Runs the command that the command line names, and sets the exit code of the process. */
export const runCommandLine = async (): Promise<void> => {
  try {
    prepare(program);
    program.hook('preAction', refuseEmpty);
    await addCommands();
    await program.parseAsync();
  } catch (error) {
    if (error !== unwritten) process.exitCode = reportError(error, json);
  }
};
