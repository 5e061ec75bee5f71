import { Command } from 'commander';
import { accountCommand } from './admin/account.ts';
import { deadLettersCommand } from './admin/dead-letters.ts';
import { eventsCommand } from './admin/events.ts';
import { exportCommand } from './admin/export.ts';
import { importCommand } from './admin/import.ts';
import { managerCommand } from './admin/manager.ts';
import { offerCommand } from './admin/offer.ts';
import { addOptions } from './admin/options.ts';
import { outboxCommand } from './admin/outbox.ts';
import { paymentRequestCommand } from './admin/payment-request.ts';
import { reportError } from './admin/report-error.ts';
import { sandboxCommand } from './admin/sandbox.ts';
import { tokenCommand } from './admin/token.ts';
import { trailCommand } from './admin/trail.ts';
import { verifyCommand } from './admin/verify.ts';
import { workspaceCommand } from './admin/workspace.ts';

const program = addOptions(new Command('npm run admin --'))
  .description(
    'Operates the service: the one that `npm start` runs here, or with --stage a deployed one.',
  )
  .addCommand(accountCommand)
  .addCommand(workspaceCommand)
  .addCommand(managerCommand)
  .addCommand(tokenCommand)
  .addCommand(paymentRequestCommand)
  .addCommand(offerCommand)
  .addCommand(sandboxCommand)
  .addCommand(exportCommand)
  .addCommand(importCommand)
  .addCommand(deadLettersCommand)
  .addCommand(outboxCommand)
  .addCommand(trailCommand)
  .addCommand(eventsCommand)
  .addCommand(verifyCommand)
  .addHelpText(
    'after',
    `
Results go to standard output; progress, remarks and errors to standard error. With --json an error is
an object such as {"error":"There is no offer ofr_x.","exit_code":1}. In scripts, use
npm run --silent admin --, because npm adds lines of its own to the output.

Exit codes: 0 done; 1 refused, not possible, or something was found wrong; 2 the command line is wrong;
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
  if (json) command.configureOutput({ writeErr: () => {} });
  command.commands.forEach(prepare);
};
prepare(program);

// The reader may close the pipe early, as `head` does. A command that has something to remove listens to SIGPIPE.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' && !process.emit('SIGPIPE')) process.exit();
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportError(error, json);
}
