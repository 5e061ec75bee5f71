import { Command } from 'commander';
import { addOptions } from './service/command.ts';

/** In the order of the help. Loading all of them takes longer than loading one and running it. */
export const commands = {
  account: () => import('./commands/account.ts'),
  workspace: () => import('./commands/workspace.ts'),
  manager: () => import('./commands/manager.ts'),
  token: () => import('./commands/token.ts'),
  'payment-request': () => import('./commands/payment-request.ts'),
  offer: () => import('./commands/offer.ts'),
  sandbox: () => import('./commands/sandbox.ts'),
  export: () => import('./commands/export.ts'),
  import: () => import('./commands/import.ts'),
  redact: () => import('./commands/redact.ts'),
  restore: () => import('./commands/restore.ts'),
  'dead-letters': () => import('./commands/dead-letters.ts'),
  outbox: () => import('./commands/outbox.ts'),
  trail: () => import('./commands/trail.ts'),
  events: () => import('./commands/events.ts'),
  verify: () => import('./commands/verify.ts'),
};

/** The command line without its commands. */
export const program = addOptions(new Command('npm run admin --'))
  .description(
    'Operates the service: the one that `npm start` runs here, or with --stage a deployed one.',
  )
  .addHelpText(
    'after',
    `
Results go to standard output; progress, remarks and errors to standard error. With --json an error is
an object such as {"error":"There is no offer ofr_x.","exit_code":1}. In scripts, use
npm run --silent admin --, because npm adds lines of its own to the output.

Exit codes: 0 done; 1 refused, or done in part, or a fault was found; 2 the command line is wrong;
130 interrupted by Ctrl-C; 143 by SIGTERM.

Examples:
  npm run admin -- account create --name "Acme Ltd"
  npm run admin -- token issue --workspace wsp_demo --expires 30d
  npm run admin -- --stage prod --profile acme --region eu-central-1 verify`,
  );
