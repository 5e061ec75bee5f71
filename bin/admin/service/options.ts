import { type Command, Option } from 'commander';
import { stackFilePath } from '../../local-run/stack-file.ts';
import type { ServiceChoice } from './connect.ts';

/** What every command takes. */
export interface Options extends ServiceChoice {
  readonly json?: boolean;
  readonly yes?: boolean;
}

/** Adds the options of every command, which are accepted before or after the command's name. */
export const addOptions = (program: Command): Command =>
  addServiceOptions(program).option('--yes', 'do not ask for confirmation');

/** Adds the options that select the service, and `--json`. */
export const addServiceOptions = (program: Command): Command =>
  program
    .addOption(
      new Option('--stage <stage>', 'the deployed stage; without it, the local run').choices([
        'dev',
        'prod',
      ]),
    )
    .option('--region <region>', "the stage's AWS region")
    .option('--profile <profile>', 'the AWS profile to use')
    .addOption(
      new Option('--stack-file <file>', 'the stack file of the local run')
        .env('WFP_STACK_FILE')
        .default(stackFilePath),
    )
    .option('--json', 'print JSON, for scripts');

/** The end of a command's help. Each line is what follows `npm run admin -- `. */
export const examples = (...lines: readonly string[]): string =>
  `\n${lines.length > 1 ? 'Examples' : 'Example'}:\n${lines.map((line) => `  npm run admin -- ${line}`).join('\n')}`;
