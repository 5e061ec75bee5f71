import { Command, CommanderError } from 'commander';
import { accountCommand } from './admin/account.ts';
import { deadLettersCommand } from './admin/dead-letters.ts';
import { exportCommand } from './admin/export.ts';
import { importCommand } from './admin/import.ts';
import { managerCommand } from './admin/manager.ts';
import { offerCommand } from './admin/offer.ts';
import { addOptions } from './admin/options.ts';
import { outboxCommand } from './admin/outbox.ts';
import { paymentRequestCommand } from './admin/payment-request.ts';
import { sandboxCommand } from './admin/sandbox.ts';
import { sentence } from './admin/sentence.ts';
import { tokenCommand } from './admin/token.ts';
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
  .addCommand(verifyCommand)
  .addHelpText(
    'after',
    `
Results go to standard output; progress, remarks and errors to standard error. In scripts, say
npm run --silent admin --, or npm adds lines of its own to the output.

Exit codes: 0 done; 1 refused, not possible, or something was found wrong; 2 the command line is wrong.

Examples:
  npm run admin -- account create --name "Acme Ltd"
  npm run admin -- token issue --workspace wsp_demo --expires 30d
  npm run admin -- --stage prod --profile acme --region eu-central-1 verify`,
  );

/** Commander hands these on to subcommands that it makes itself, which those in files of their own are not. */
const prepare = (command: Command): void => {
  command.exitOverride().configureHelp({ showGlobalOptions: true });
  command.commands.forEach(prepare);
};
prepare(program);

// Whoever reads us may have seen enough, as `head` does.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit();
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    console.error(`error: ${sentence(error)}`);
    process.exitCode = 1;
  }
}
