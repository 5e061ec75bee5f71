import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, test } from 'vitest';
import { readSettings, readStages, SettingsError } from '../../lib/stack/settings.ts';
import type { StageSettings } from '../../lib/stack/stage-settings.ts';
import { domains, noDomains } from '../support/addresses.ts';
import { everything, production } from '../support/synthesize-stage.ts';

const settings = ({ stage = 'dev', ...others }: Record<string, unknown>) =>
  readSettings(stage as string, { keepData: false, ...others } as StageSettings);

test('the settings are those of a development stage unless they say otherwise', () => {
  expect(settings({})).toEqual({
    stage: 'dev',
    env: {},
    keepData: false,
    sender: 'offers@example.com',
    senderIdentity: 'offers@example.com',
    createSenderIdentity: false,
    logs: { retention: RetentionDays.ONE_WEEK, removalPolicy: RemovalPolicy.DESTROY },
    removalPolicy: RemovalPolicy.DESTROY,
    alarms: {},
    tls: '1.3',
    throttling: { rate: 500, burst: 1000 },
    mailsAtOnce: 2,
    recordSenders: [],
    sourceMaps: true,
    rollout: 'replace',
  });
});

const flag = { valid: [true, false], invalid: ['true', 1] };

const operator = (name: string) => [`arn:aws:iam::123456789012:${name}`];
const ofPermissionSets = 'role/aws-reserved/sso.amazonaws.com';

/** For each setting what it may be and what not, in a context that it goes with. */
const each: Record<string, { valid: unknown[]; invalid: unknown[]; with?: object }> = {
  account: {
    valid: ['123456789012', '000000000001'],
    invalid: ['12345678901', 123456789012],
  },
  region: { valid: ['eu-central-1', 'us-gov-west-1'], invalid: ['eu-central-9', 'Frankfurt', 1] },
  keepData: { ...flag, invalid: [...flag.invalid, undefined], with: production },
  sender: {
    valid: ['offers@company.example', 'o+1@mail.company.example'],
    invalid: ['nobody', 'Offers <offers@company.example>'],
  },
  senderIdentity: {
    valid: ['Offers@mail.company.example', 'mail.company.example', 'company.example'],
    invalid: ['other.example', 'offers@mail.company.example', 'Company.example'],
    with: { sender: 'Offers@Mail.Company.Example' },
  },
  createSenderIdentity: { ...flag, with: { sender: 'offers@company.example' } },
  replyTo: { valid: ['people@company.example'], invalid: ['People <people@company.example>'] },
  offerUrl: {
    valid: ['https://app.company.example/offers/{id}', 'https://company.example/?offer={id}&a=b'],
    invalid: [
      'https://app.company.example/offers',
      'http://app.company.example/offers/{id}',
      'https://app.company.example/{account}/offers/{id}',
    ],
  },
  recordSenders: {
    valid: [
      [],
      ['arn:aws:iam::123456789012:role/hr/payroll'],
      [
        'arn:aws:iam::123456789012:user/hr',
        'arn:aws:events:eu-west-1:123456789012:rule/bus/records',
      ],
    ],
    invalid: [
      'arn:aws:iam::123456789012:role/payroll',
      ['payroll'],
      ['arn:aws:iam::123456789012:role/*'],
      ['arn:aws:iam::123456789012:root'],
    ],
  },
  operators: {
    valid: [
      'role/operators',
      'user/staff/jane',
      `${ofPermissionSets}/eu-central-1/AWSReservedSSO_Ops_${'?'.repeat(16)}`,
      `${ofPermissionSets}/AWSReservedSSO_Ops_${'?'.repeat(16)}`,
    ].map(operator),
    invalid: [
      [],
      'arn:aws:iam::123456789012:role/operators',
      ...[
        'root',
        'role/*',
        'role/op?',
        'assumed-role/operators/jane',
        `role/operators_${'?'.repeat(16)}`,
        `${ofPermissionSets}/eu-central-1/AWSReservedSSO_*`,
        ...['*', '?*', '?'.repeat(15), '?'.repeat(17)].map(
          (end) => `${ofPermissionSets}/eu-central-1/AWSReservedSSO_Ops_${end}`,
        ),
        `${ofPermissionSets}/eu-central-1/AWSReservedSSO_O?s_${'?'.repeat(16)}`,
        `${ofPermissionSets}/*/AWSReservedSSO_Ops_${'?'.repeat(16)}`,
      ].map(operator),
    ],
  },
  alarmEmail: { valid: ['operators@company.example'], invalid: ['operators'] },
  alarmTopicArn: {
    valid: ['arn:aws-us-gov:sns:us-gov-west-1:123456789012:wake_us-1'],
    invalid: ['operators', 'arn:aws:sqs:eu-central-1:123456789012:operators'],
  },
  domainName: {
    valid: domains,
    invalid: noDomains.filter(Boolean),
    with: { certificateArn: everything.certificateArn },
  },
  certificateArn: {
    valid: [everything.certificateArn],
    invalid: ['arn:aws:acm:eu-central-1:1:certificate/1b2c'],
    with: { domainName: everything.domainName },
  },
  tls: { valid: ['1.2', '1.3'], invalid: ['1.1', 1.2] },
  firewall: flag,
  requestsPerToken: { valid: [10, 2_000_000_000], invalid: [9], with: { firewall: true } },
  requestsPerAddress: { valid: [10, 2_000_000_000], invalid: [9], with: { firewall: true } },
  throttlingRate: { valid: [1, 10_000], invalid: [0, 10_001, '50', ''] },
  throttlingBurst: { valid: [1, 5000], invalid: [1.5] },
  reservedConcurrency: { valid: [1, 1000], invalid: [-1] },
  mailsAtOnce: { valid: [2, 1000], invalid: [1] },
  canary: { ...flag, with: production },
  sourceMaps: flag,
  table: {
    valid: ['WorkforcePayments-restored', 'Restored_2026-11-01', 'a.b'],
    invalid: ['ab', 'arn:aws:dynamodb:eu-central-1:123456789012:table/Restored'],
  },
  // 9999 is the CDK's name for a log group that keeps its logs for ever.
  logRetentionDays: { valid: [1, 30, 400], invalid: [8, 'ONE_WEEK', 9999, true] },
  permissionsBoundary: {
    valid: ['team-boundary', 'team/boundary'],
    invalid: ['', 'arn:aws:iam::123456789012:policy/team-boundary'],
  },
};

test.each(Object.entries(each))(
  '%s takes what is valid, and says what it may be',
  (name, { valid, invalid, with: others = {} }) => {
    for (const value of valid) {
      expect(() => settings({ ...others, [name]: value })).not.toThrow();
    }
    for (const value of [...invalid, null]) {
      expect(() => settings({ ...others, [name]: value })).toThrow(
        expect.objectContaining({
          name: 'SettingsError',
          message: expect.stringMatching(
            new RegExp(`^stages\\.\\w+(\\.|: The setting )${name}(\\.0)? must .+\\.$`),
          ),
        }),
      );
    }
  },
);

test.each(['dev', 'pr-123', `a${'-'.repeat(30)}`])('a stage may be called %s', (stage) => {
  expect(settings({ stage })).toMatchObject({ stage });
});

test.each(['Prod', '1st', `a${'b'.repeat(31)}`, ''])('a stage is not called "%s"', (stage) => {
  expect(() => settings({ stage })).toThrow(
    new RegExp(`^The name of a stage has up to 31 .+ first: "${stage}" has not\\.$`),
  );
});

test('what belongs to keeping data follows that setting, and not the name of a stage', () => {
  const { stage: _, ...others } = settings(production);
  expect(settings({ ...production, stage: 'staging' })).toMatchObject(others);
  const { sender } = production;
  const { stage: __, ...development } = settings({ sender });
  expect(settings({ stage: 'prod', sender })).toMatchObject(development);
});

const sentenceForEach =
  /^stages\.qa\.sender must .+\.\nstages\.qa\.logRetentionDays must .+\.\nUnknown setting stages\.qa\.tables\. Valid settings: keepData, .+\.$/;
const forKeepingData =
  /^(stages\.prod: A stage that keeps its data needs the setting (account|region|sender|operators)\.\n){4}stages\.prod: A .+ recipient: alarmEmail or alarmTopicArn\.$/;
const { domainName, certificateArn, alarmTopicArn } = everything;

test.each([
  [{ stage: 'qa', sender: 'x', logRetentionDays: 'x', tables: 'x' }, sentenceForEach],
  [{ stage: 'prod', keepData: true }, forKeepingData],
  [{ ...production, alarmTopicArn }, /^stages\.prod: Give alarmEmail or alarmTopicArn: /],
  [{ senderIdentity: 'company.example' }, /: The setting senderIdentity must be the sender or /],
  [{ createSenderIdentity: true }, /: The setting createSenderIdentity needs a sender\.$/],
  [{ domainName }, /: The settings domainName and certificateArn need each other\.$/],
  [{ certificateArn }, /: The settings domainName and certificateArn need each other\.$/],
  [{ requestsPerToken: 100 }, /: The settings requestsPerToken and .+ the firewall\.$/],
  [{ ...production, requestsPerAddress: 9999, firewall: false }, /.+ the firewall\.$/],
  [{ canary: false }, /: The setting canary needs a stage that keeps its data: /],
])('%j has a sentence for each fault and contradiction', (stage, sentence) => {
  expect(() => settings(stage)).toThrow(SettingsError);
  expect(() => settings(stage)).toThrow(sentence);
});

test.each([null, undefined, 'dev', []])('a stage is not %j', (stage) => {
  expect(() => readStages({ qa: stage as never })).toThrow(
    /^stages\.qa must be an object, such as { keepData: false }\.$/,
  );
});

test('the stages of an account and region have one permissions boundary, as their log role has', () => {
  const { stage: _, ...kept } = production;
  const stages = (permissionsBoundary: string | undefined) =>
    readStages({
      one: { ...kept, permissionsBoundary: 'team' },
      two: { ...kept, permissionsBoundary },
    });
  expect(() => stages('team')).not.toThrow();
  for (const other of ['others', undefined]) {
    expect(() => stages(other)).toThrow(
      /^stages\.one needs the permissionsBoundary of the other .+\.\nstages\.two needs .+\.$/,
    );
  }
  const elsewhere = { keepData: false, account: '999999999999', region: production.region };
  expect(() =>
    readStages({ one: { ...kept, permissionsBoundary: 'team' }, elsewhere }),
  ).not.toThrow();
  const anywhere = { keepData: false };
  expect(() => readStages({ one: { ...kept, permissionsBoundary: 'team' }, anywhere })).toThrow(
    /^stages\.one needs/,
  );
});

describe('an ARN of another account or region', () => {
  const here = production;
  const arn = (service: string, region: string, account: string, resource: string) =>
    `arn:aws:${service}:${region}:${account}:${resource}`;

  test.each([
    ['alarmTopicArn', arn('sns', 'eu-west-1', here.account, 'operators')],
    ['certificateArn', arn('acm', 'us-east-1', here.account, 'certificate/1b2c-3d4e')],
    ['certificateArn', arn('acm', here.region, '999999999999', 'certificate/1b2c-3d4e')],
    ['operators', arn('iam', '', '999999999999', 'role/operators')],
    ['recordSenders', arn('iam', '', '999999999999', 'role/payroll')],
    ['recordSenders', arn('events', 'eu-west-1', here.account, 'rule/bus/records')],
    ['recordSenders', arn('events', here.region, '999999999999', 'rule/bus/records')],
  ])('is refused where it would have no effect: %s %s', (name, value) => {
    const given = /^(operators|recordSenders)$/.test(name) ? [value] : value;
    const stage = { ...everything, [name]: given };
    expect(() => settings(stage)).toThrow(
      `The setting ${name} must be of the stage's account and region: ${value}.`,
    );
    const elsewhere = { ...stage, keepData: false, account: undefined, region: undefined };
    expect(() => settings(elsewhere)).not.toThrow();
  });

  test.each([
    ['alarmTopicArn', arn('sns', here.region, '999999999999', 'operators')],
    ['recordSenders', arn('sns', 'eu-west-1', '999999999999', 'records')],
  ])('is accepted where policies alone decide: %s %s', (name, value) => {
    const given = name === 'recordSenders' ? [value] : value;
    expect(() => settings({ ...everything, [name]: given })).not.toThrow();
  });
});
