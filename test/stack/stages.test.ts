import { rmSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../lib/app.ts';
import { temporaryDirectory } from '../../lib/bundles.ts';
import { readSettings, SettingsError } from '../../lib/settings.ts';
import {
  developmentTemplate,
  functionsOf,
  resourcesOf,
  type SynthesizedTemplate,
} from '../support/synthesized.ts';

const sender = 'offers@company.example';

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

const synthesize = async (context: Record<string, unknown>): Promise<SynthesizedTemplate> => {
  const outdir = temporaryDirectory();
  directories.push(outdir);
  const [stack] = (await createApp({ outdir, context })).synth().stacks;
  return stack?.template;
};

test('two syntheses give the same template', async () => {
  expect(await synthesize({})).toEqual(developmentTemplate());
});

describe('production', () => {
  let [development, production]: SynthesizedTemplate[] = [];
  beforeAll(async () => {
    development = developmentTemplate();
    production = await synthesize({ stage: 'prod', sender });
  });

  const tableOf = (template?: SynthesizedTemplate) =>
    template && resourcesOf(template, 'AWS::DynamoDB::Table')[0]?.[1];

  test('protects its table from being deleted, and keeps it without its stack', () => {
    const table = tableOf(production);
    expect(table?.Properties.DeletionProtectionEnabled).toBe(true);
    expect([table?.DeletionPolicy, table?.UpdateReplacePolicy]).toEqual(['Retain', 'Retain']);
  });

  test('differs there from development, where everything goes with the stack', () => {
    const table = tableOf(development);
    expect(table?.Properties.DeletionProtectionEnabled).toBe(false);
    expect([table?.DeletionPolicy, table?.UpdateReplacePolicy]).toEqual(['Delete', 'Delete']);
  });

  test('keeps its logs for a year, and development for a week', () => {
    const retentions = (template?: SynthesizedTemplate) =>
      template &&
      resourcesOf(template, 'AWS::Logs::LogGroup').map(
        ([, { Properties }]) => Properties.RetentionInDays,
      );
    // One for each function and one for the API.
    const count = functionsOf(developmentTemplate()).size + 1;
    expect(retentions(production)).toEqual(Array.from({ length: count }, () => 365));
    expect(retentions(development)).toEqual(Array.from({ length: count }, () => 7));
  });

  test('sends from its own address', () => {
    const [, deliver] = (production && functionsOf(production).get('deliver-offer')) ?? [];
    expect(deliver?.Properties.Environment.Variables.SENDER).toBe(sender);
  });
});

describe('the settings', () => {
  const settings = (context: Record<string, unknown>) => readSettings(new App({ context }).node);

  test('are those of a development stage unless they say otherwise', () => {
    expect(settings({})).toMatchObject({ stage: 'dev', logRetention: RetentionDays.ONE_WEEK });
  });

  test('take the days that logs are kept as text from the command line', () => {
    expect(settings({ logRetentionDays: '90' }).logRetention).toBe(RetentionDays.THREE_MONTHS);
  });

  test('ask for production by name, and for who sends there', () => {
    expect(settings({ stage: 'prod', sender })).toMatchObject({
      stage: 'prod',
      sender,
      logRetention: RetentionDays.ONE_YEAR,
    });
  });

  test.each([
    [{ stage: 'production' }, 'The context stage must be dev or prod.'],
    [{ stage: '' }, 'The context stage must be dev or prod.'],
    [
      { sender: 'nobody' },
      'The context sender must be the e-mail address that offers are sent from.',
    ],
    [
      { logRetentionDays: '8' },
      'The context logRetentionDays must be a number of days that CloudWatch Logs knows.',
    ],
    [{ stage: 'prod' }, expect.stringMatching(/prod needs the address .+ --context sender=/)],
  ])('%j are answered with a sentence', (context, message) => {
    expect(() => settings(context)).toThrow(
      expect.objectContaining({ name: 'SettingsError', message }),
    );
  });

  test('are answered with a sentence whatever is wrong with them', () => {
    const anything = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant([]));
    const names = fc.constantFrom('stage', 'sender', 'logRetentionDays');
    const taken = { stage: ['dev', 'prod'], sender: [sender], logRetentionDays: [30, '30'] };
    fc.assert(
      fc.property(names, anything, (name, value) => {
        fc.pre(!(taken[name] as unknown[]).includes(value));
        const known = name === 'logRetentionDays' && Number(value) in RetentionDays;
        fc.pre(!known);
        expect(() => settings({ [name]: value })).toThrow(SettingsError);
        expect(() => settings({ [name]: value })).toThrow(
          new RegExp(`^The context ${name} [^\\n]+\\.$`),
        );
      }),
      { numRuns: 50 },
    );
  });

  test('are answered with a sentence for each that is wrong', () => {
    expect(() => settings({ stage: 'x', sender: 'x', logRetentionDays: 'x' })).toThrow(
      /^The context stage .+\.\nThe context sender .+\.\nThe context logRetentionDays .+\.$/,
    );
  });
});
