import { Command } from 'commander';
import { addServiceOptions } from '../command-line/service-options.ts';
import { command as account } from './commands/account.ts';
import { command as effects } from './commands/effects.ts';
import { command as events } from './commands/events.ts';
import { command as exporting } from './commands/export.ts';
import { command as manager } from './commands/manager.ts';
import { command as offer } from './commands/offer.ts';
import { command as outbox } from './commands/outbox.ts';
import { command as paymentRequest } from './commands/payment-request.ts';
import { command as redact } from './commands/redact.ts';
import { command as sandbox } from './commands/sandbox.ts';
import { command as token } from './commands/token.ts';
import { command as verify } from './commands/verify.ts';
import { command as workspace } from './commands/workspace.ts';

/** The command line, with its commands in the order of the help. */
export const program = addServiceOptions(new Command('bin/wfp'))
  .option('--json', 'print JSON, for scripts')
  .option('--yes', 'do not ask for confirmation')
  .description(
    'Operates the service: the one that `npm start` runs here, or with --stage a deployed one.',
  )
  .addCommand(account)
  .addCommand(workspace)
  .addCommand(manager)
  .addCommand(token)
  .addCommand(paymentRequest)
  .addCommand(offer)
  .addCommand(sandbox)
  .addCommand(effects)
  .addCommand(exporting)
  .addCommand(redact)
  .addCommand(outbox)
  .addCommand(events)
  .addCommand(verify)
  .addHelpText(
    'after',
    `
Results go to standard output; progress, remarks and errors to standard error. With --json an error is
an object such as {"error":"There is no offer ofr_x.","exit_code":1}.

Exit codes: 0 done; 1 refused, or done in part, or a fault was found; 2 the command line is wrong;
130 interrupted by Ctrl-C; 143 by SIGTERM.

Examples:
  bin/wfp account create --name "Acme Ltd"
  bin/wfp token issue --workspace wsp_demo --scopes sandboxes:read --expires 30d
  bin/wfp --stage prod --profile acme --region eu-central-1 verify`,
  );
