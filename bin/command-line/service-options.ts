import { type Command, Option } from 'commander';
import { stackFilePath } from '../stack-file/stack-file-path.ts';
import { callerPath } from './caller-path.ts';

/** Adds the options that select the service, which `ServiceChoice` holds. */
export const addServiceOptions = (program: Command): Command =>
  program
    .option('--stage <stage>', 'the deployed stage; without it, the local run')
    .option('--region <region>', "the stage's AWS region")
    .option('--profile <profile>', 'the AWS profile to use')
    .addOption(stackFileOption('the stack file of the local run'));

/** The option that names the stack file. A variable that is empty is none. */
export const stackFileOption = (description: string): Option =>
  new Option('--stack-file <file>', description)
    .env('WFP_STACK_FILE')
    .default(stackFilePath)
    .argParser((text) => (text ? callerPath(text) : stackFilePath));
