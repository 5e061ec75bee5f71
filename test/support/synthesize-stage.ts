import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App, Environment } from 'aws-cdk-lib';
import { inject } from 'vitest';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { addStage, createApp, withoutValidation } from '../../lib/stack/app.ts';
import { readSettings } from '../../lib/stack/settings.ts';
import type { StageSettings } from '../../lib/stack/stage-settings.ts';
import { developmentTemplate, type SynthesizedTemplate } from './read-template.ts';

/** A stage of this name, `dev` by default, which keeps no data by default. */
export type Stage = { readonly stage?: string } & Partial<StageSettings>;

/** The least that a stage needs to keep its data. */
export const production = {
  stage: 'prod',
  keepData: true,
  account: '123456789012',
  region: 'eu-central-1',
  sender: 'offers@company.example',
  operators: [
    'arn:aws:iam::123456789012:role/aws-reserved/sso.amazonaws.com/eu-central-1/AWSReservedSSO_Operators_????????????????',
  ],
  alarmEmail: 'operators@company.example',
} satisfies Stage;

/** Production with everything that can be set. */
export const everything = {
  ...production,
  alarmEmail: undefined,
  senderIdentity: 'company.example',
  logRetentionDays: 30,
  alarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:operators',
  domainName: 'api.company.example',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/1b2c-3d4e',
  tls: '1.3',
  firewall: true,
  requestsPerToken: 5000,
  requestsPerAddress: 7000,
  throttlingRate: 50,
  throttlingBurst: 70,
  reservedConcurrency: 20,
  mailsAtOnce: 3,
  replyTo: 'people@company.example',
  offerUrl: 'https://app.company.example/offers/{id}',
  recordSenders: [
    'arn:aws:iam::123456789012:role/payroll',
    'arn:aws:sns:eu-central-1:123456789012:records',
  ],
  permissionsBoundary: 'team-boundary',
} satisfies Stage;

/** What must hold of every stage is tested with these. */
export const variants: [string, Stage][] = [
  ['dev', {}],
  ['prod', production],
  ['prod with everything', everything],
  ['staging', { ...production, stage: 'staging', firewall: false }],
];

/**
 * The app of a stage, synthesized as `cdk deploy` would.
 *
 * @param env in place of the stage's account and region
 */
export const synthesizedApp = async (
  { stage = 'dev', ...others }: Stage,
  env?: Environment,
): Promise<App> => {
  const app = createApp({ outdir: buildDirectory(), ...withoutValidation });
  const settings = readSettings(stage, { keepData: false, ...others });
  await addStage(app, { ...settings, ...(env && { env }) });
  app.synth();
  return app;
};

/** The template of a stage, synthesized now; with references to its account and region. */
const synthesize = async (stage: Stage): Promise<SynthesizedTemplate> =>
  (await synthesizedApp(stage, {})).synth().stacks[0]?.template;

/** The same, synthesized once for the whole run: what takes seconds, many test files ask for. */
export const templateOf = async (stage: Stage): Promise<SynthesizedTemplate> => {
  if (Object.keys(stage).length === 0) return developmentTemplate();
  const name = createHash('sha256').update(JSON.stringify(stage)).digest('hex');
  const file = join(inject('stack').assemblyDirectory, `${name}.json`);
  if (!existsSync(file)) {
    // Moved there whole: another file's worker may be looking.
    const unfinished = `${file}.${randomUUID()}`;
    writeFileSync(unfinished, JSON.stringify(await synthesize(stage)));
    renameSync(unfinished, file);
  }
  return JSON.parse(readFileSync(file, 'utf8'));
};
