import { describe, expect, test } from 'vitest';
import { developmentTemplate, resourceOf, resourcesOf } from '../support/read-template.ts';
import {
  everything,
  production,
  type Stage,
  synthesizedApp,
  templateOf,
} from '../support/synthesize-stage.ts';

const minimal = await templateOf(production);

describe('the identity that SES is to verify', () => {
  test('is the address of the sender, which takes no DNS records', () => {
    const [, { Properties }] = resourceOf(minimal, 'AWS::SES::EmailIdentity');
    expect(Properties.EmailIdentity).toBe(production.sender);
    expect(Object.keys(minimal.Outputs).filter((name) => name.startsWith('Dkim'))).toEqual([]);
  });

  test('outlives every stage that made it: others of the account may send from it', async () => {
    const development = await templateOf({ sender: production.sender });
    for (const template of [minimal, development]) {
      const [, identity] = resourceOf(template, 'AWS::SES::EmailIdentity');
      expect([identity.DeletionPolicy, identity.UpdateReplacePolicy]).toEqual([
        'RetainExceptOnCreate',
        'Retain',
      ]);
    }
  });

  test('is an address with a warning only where the data is kept', async () => {
    const warnings = async (stage: Stage) =>
      (await synthesizedApp(stage))
        .synth()
        .stacks.flatMap(({ messages }) => messages.map(({ entry }) => String(entry.data)))
        .filter((text) => text.includes('DMARC'));
    expect(await warnings({})).toEqual([]);
    expect(await warnings(everything)).toEqual([]);
    expect(await warnings(production)).toEqual([
      expect.stringContaining('`senderIdentity` in bin/stages.ts'),
    ]);
  });

  test('is nothing in development, nor where the account has it already', async () => {
    const shared = await templateOf({ ...production, createSenderIdentity: false });
    expect(resourcesOf(shared, 'AWS::SES::EmailIdentity')).toEqual([]);
    expect(resourcesOf(developmentTemplate(), 'AWS::SES::EmailIdentity')).toEqual([]);
  });
});
