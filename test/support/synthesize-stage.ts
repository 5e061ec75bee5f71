import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from 'aws-cdk-lib';
import { inject } from 'vitest';
import { createApp, withoutValidation } from '../../lib/app.ts';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { developmentTemplate, type SynthesizedTemplate } from './read-template.ts';

/** The least that production asks for. */
export const production = {
  stage: 'prod',
  sender: 'offers@company.example',
  alarmEmail: 'operators@company.example',
};

/** Production with everything that can be set. */
export const everything = {
  stage: 'prod',
  sender: 'offers@company.example',
  senderIdentity: 'company.example',
  logRetentionDays: '30',
  alarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:operators',
  domainName: 'api.company.example',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/1b2c-3d4e',
  tls: '1.3',
  firewall: 'true',
  requestsPerToken: '5000',
  requestsPerAddress: '7000',
  throttlingRate: '50',
  throttlingBurst: '70',
  reservedConcurrency: '20',
  mailsAtOnce: '3',
  replyTo: 'people@company.example',
  offerUrl: 'https://app.company.example/offers/{id}',
  referenceUrl: 'https://docs.company.example',
  recordSenders:
    'arn:aws:iam::123456789012:role/payroll,arn:aws:sns:eu-central-1:123456789012:records',
};

/** What must hold of every stage is tested with these. */
export const variants: [string, Record<string, string>][] = [
  ['dev', {}],
  ['prod', production],
  ['prod with everything', everything],
  ['staging', { ...production, stage: 'staging', keepData: 'true', firewall: 'false' }],
];

/** The app of a stage, synthesized as `cdk deploy` would with these `--context` values. */
export const synthesizedApp = async (context: Record<string, string>): Promise<App> => {
  const app = await createApp({ outdir: buildDirectory(), context, ...withoutValidation });
  app.synth();
  return app;
};

/** The template of a stage, synthesized now. */
const synthesize = async (context: Record<string, string>): Promise<SynthesizedTemplate> =>
  (await synthesizedApp(context)).synth().stacks[0]?.template;

/** The same, synthesized once for the whole run: what takes seconds, many test files ask for. */
export const templateOf = async (context: Record<string, string>): Promise<SynthesizedTemplate> => {
  if (Object.keys(context).length === 0) return developmentTemplate();
  const name = createHash('sha256').update(JSON.stringify(context)).digest('hex');
  const file = join(inject('stack').assemblyDirectory, `${name}.json`);
  if (!existsSync(file)) {
    // Moved there whole: another file's worker may be looking.
    const unfinished = `${file}.${randomUUID()}`;
    writeFileSync(unfinished, JSON.stringify(await synthesize(context)));
    renameSync(unfinished, file);
  }
  return JSON.parse(readFileSync(file, 'utf8'));
};
