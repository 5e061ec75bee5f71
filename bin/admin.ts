import { Command } from 'commander';
import { AdminError } from './admin/connect.ts';
import { tokenCommand } from './admin/token.ts';

const program = new Command('npm run admin --')
  .description(
    'Operates the service: the one that `npm start` runs here, or with --stage a deployed one.',
  )
  .option('--stage <stage>', 'the deployed stage: dev or prod')
  .option('--region <region>', 'its AWS region')
  .option('--profile <profile>', 'the AWS profile to use')
  .addCommand(tokenCommand)
  .addHelpText('after', '\nExit codes: 0 done, 1 refused or not possible.');

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof AdminError)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
