import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { PERMISSIONS_BOUNDARY_CONTEXT_KEY } from 'aws-cdk-lib';
import type { Node } from 'constructs';
import * as z from 'zod';
import { readSettings, refuse, type Settings, wrongNames } from './settings.ts';

/**
 * The settings of the stage that the command names, which cdk.json alone has.
 *
 * @throws SettingsError a sentence about each part of the context that is wrong or misplaced
 */
export const readContext = (node: Node): Settings => {
  const context = node.getAllContext();
  const { stage = 'dev', stages = {} } = context;
  const { data = {}, error } = Stages.safeParse(stages);
  const known = Object.keys(data);
  refuse([
    ...misplaced(context),
    ...(error?.issues ?? []).map(
      ({ path }) =>
        `${['stages', ...path].join('.')} must be an object in cdk.json, such as "stages": { "prod": { "sender": "offers@your.domain" }, "qa": {} }.`,
    ),
    ...wrongNames(known),
    known.length === 0 ||
      stage === 'dev' ||
      known.includes(stage) ||
      `cdk.json has no stage "${stage}". Its stages: ${known.join(', ')}. One without settings is written "qa": {}.`,
    isBoundary(context[PERMISSIONS_BOUNDARY_CONTEXT_KEY]) ||
      `The context ${PERMISSIONS_BOUNDARY_CONTEXT_KEY} must be an object with a name or an arn, in cdk.json: on the command line it is a text, which the CDK ignores.`,
  ]);
  return readSettings(stage, Object.hasOwn(data, stage) ? data[stage] : {});
};

const Stages = z.record(z.string(), z.record(z.string(), z.unknown()));

/**
 * The files of which the CDK merges the context, member by member and in all depths, each over the
 * next one: a stage in ~/.cdk.json would add settings to the same stage in cdk.json.
 */
const files = (): [name: string, path: string, hasContext: boolean][] => [
  ['cdk.json', 'cdk.json', true],
  ['cdk.context.json', 'cdk.context.json', false],
  ['~/.cdk.json', join(homedir(), '.cdk.json'), true],
];

/** A sentence for each name that does not belong where it is: in a file, or else in the command. */
const misplaced = (context: object): string[] => {
  const inFiles = files()
    .filter(([, path]) => existsSync(path))
    .map(([file, path, hasContext]) => {
      const content = JSON.parse(readFileSync(path, 'utf8'));
      return [file, Object.keys((hasContext ? content.context : content) ?? {})] as const;
    });
  const named = inFiles.flatMap(([, names]) => names);
  const inCommand = Object.keys(context).filter((name) => !named.includes(name));
  return [...inFiles, [command, inCommand] as const].flatMap(([place, names]) =>
    names
      .filter((name) => !isOfCdk(name) && name !== allowed[place])
      .map(
        (name) =>
          `${place} has the context ${name}. A command gives the stage alone (--context stage=prod). Its settings are in cdk.json: "context": { "stages": { "prod": { … } } }.`,
      ),
  );
};

const command = 'The command line (or the variable CDK_CONTEXT)';

/** The one name that a place may have. */
const allowed: Readonly<Record<string, string>> = { 'cdk.json': 'stages', [command]: 'stage' };

/** Whether the CDK or its CLI has given the name; most of theirs have a colon or a slash. */
const isOfCdk = (name: string): boolean => /[:/]/.test(name) || namesOfCdk.includes(name);

const namesOfCdk = [
  'acknowledged-issue-numbers',
  'assets-ecr-repository-name',
  'cdk-migrate',
  'cli-telemetry',
];

/** Whether the CDK gives every role this boundary, or there is none. It ignores what is wrong. */
const isBoundary = (value: unknown): boolean =>
  z
    .strictObject({ name: z.string().min(1) })
    .or(z.strictObject({ arn: z.string().min(1) }))
    .optional()
    .safeParse(value).success;
