import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { stackFilePath } from '../stack-file/stack-file-path.ts';

const root = join(import.meta.dirname, '../..');

/** Adds the options that select the service, which `ServiceChoice` holds. */
export const addServiceOptions = (program: Command): Command =>
  program
    .option('--stage <stage>', 'the deployed stage; without it, the local run')
    .option('--region <region>', "the stage's AWS region")
    .option('--profile <profile>', 'the AWS profile to use')
    .addOption(stackFileOption('the stack file of the local run', join(root, stackFilePath)));

/** The option that names the stack file. A variable that is empty is none. */
export const stackFileOption = (description: string, path = stackFilePath): Option =>
  new Option('--stack-file <file>', description)
    .env('WFP_STACK_FILE')
    .default(path, `${stackFilePath} of the clone`)
    .argParser((text) => (text ? resolve(text) : path));
