import { type Command, Option } from 'commander';
import { stackFilePath } from '../stack-file/stack-file-path.ts';
import { callerPath } from './caller-path.ts';

/** Adds the options that select the service, which `ServiceChoice` holds. */
export const addServiceOptions = (program: Command): Command =>
  program
    .option('--stage <stage>', 'the deployed stage; without it, the local run')
    .option('--region <region>', "the stage's AWS region")
    .option('--profile <profile>', 'the AWS profile to use')
    .addOption(
      new Option('--stack-file <file>', 'the stack file of the local run')
        .env('WFP_STACK_FILE')
        .default(stackFilePath)
        .argParser((text) => text && callerPath(text)),
    );
