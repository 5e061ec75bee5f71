import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { beforeAll, expect, test } from 'vitest';
import { readSettings } from '../../lib/settings.ts';
import { warnOfSkipping } from '../support/skipping.ts';
import { describeStages, type FrozenStage, stageBreaks } from './frozen-stages.ts';
import { newest, pathOf } from './kept-releases.ts';

let now: readonly FrozenStage[];
beforeAll(async () => {
  now = await describeStages();
});

test('every setting is frozen with a value', () => {
  const settings = ({ misspelt = '' }) => readSettings(new App({ context: { misspelt } }).node);
  const [, names = ''] = /Valid contexts: (.*)\./.exec(messageOf(() => settings({}))) ?? [];
  const frozen = new Set(['stage', ...now.flatMap(({ context }) => Object.keys(context))]);
  expect([...frozen].sort()).toEqual(names.split(', ').sort());
});

const messageOf = (act: () => unknown): string => {
  try {
    act();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

test.each<[string, Partial<FrozenStage>, string]>([
  [
    'a setting',
    { context: { webhookUrl: 'https://hook.company.example' } },
    'Unknown context webhookUrl',
  ],
  ['a value', { context: { stage: 'staging' } }, 'The context stage must be dev or prod.'],
  ['an output', { outputs: ['ApiUrl', 'QueueUrl'] }, 'dev: the output QueueUrl is gone.'],
  ['the name of the stack', { stackName: 'Payments-dev' }, 'dev: the stack is named Workforce'],
])('losing %s is a break, and named', async (_, change, sentence) => {
  const [dev] = now;
  const breaks = await stageBreaks(dev ? [{ ...dev, ...change }] : []);
  expect(breaks).toEqual([expect.stringContaining(sentence)]);
});

const release = newest();
warnOfSkipping('The settings of a release are', release ? undefined : 'There is no release yet.');
test.skipIf(!release)(
  'the settings of the newest release give stacks with its outputs',
  async () => {
    const frozen = readFileSync(pathOf(release ?? '', 'settings.json'), 'utf8');
    expect(await stageBreaks(JSON.parse(frozen))).toEqual([]);
  },
);
