import { Command } from 'commander';
import { addOptions } from './admin/service/command.ts';
import { AdminError } from './admin/terminal/admin-error.ts';
import { reportError } from './admin/terminal/report-error.ts';
import { keepCompiled } from './keep-compiled.ts';

keepCompiled();

/** In the order of the help. Loading all of them takes longer than loading one and running it. */
const commands = {
  account: () => import('./admin/commands/account.ts'),
  workspace: () => import('./admin/commands/workspace.ts'),
  manager: () => import('./admin/commands/manager.ts'),
  token: () => import('./admin/commands/token.ts'),
  'payment-request': () => import('./admin/commands/payment-request.ts'),
  offer: () => import('./admin/commands/offer.ts'),
  sandbox: () => import('./admin/commands/sandbox.ts'),
  export: () => import('./admin/commands/export.ts'),
  import: () => import('./admin/commands/import.ts'),
  redact: () => import('./admin/commands/redact.ts'),
  restore: () => import('./admin/commands/restore.ts'),
  'dead-letters': () => import('./admin/commands/dead-letters.ts'),
  outbox: () => import('./admin/commands/outbox.ts'),
  trail: () => import('./admin/commands/trail.ts'),
  events: () => import('./admin/commands/events.ts'),
  verify: () => import('./admin/commands/verify.ts'),
};

const program = addOptions(new Command('npm run admin --'))
  .description(
    'Operates the service: the one that `npm start` runs here, or with --stage a deployed one.',
  )
  .addHelpText(
    'after',
    `
Results go to standard output; progress, remarks and errors to standard error. With --json an error is
an object such as {"error":"There is no offer ofr_x.","exit_code":1}. In scripts, use
npm run --silent admin --, because npm adds lines of its own to the output.

Exit codes: 0 done; 1 refused, not possible, or a fault was found; 2 the command line is wrong;
130 interrupted.

Examples:
  npm run admin -- account create --name "Acme Ltd"
  npm run admin -- token issue --workspace wsp_demo --expires 30d
  npm run admin -- --stage prod --profile acme --region eu-central-1 verify`,
  );

// Read from here, since the command line may be wrong.
const json = process.argv.includes('--json');

/** Commander passes these on only to subcommands that it creates itself, unlike these. */
const prepare = (command: Command): void => {
  command.exitOverride().configureHelp({ showGlobalOptions: true });
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

try {
  prepare(program);
  await addCommands();
  await program.parseAsync();
} catch (error) {
  if (error !== unwritten) process.exitCode = reportError(error, json);
}
