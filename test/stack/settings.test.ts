import { readFileSync } from 'node:fs';
import { App, RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, test } from 'vitest';
import {
  Context,
  decodeGiven,
  encodeGiven,
  readSettings,
  SettingsError,
} from '../../lib/settings.ts';
import { domains, noDomains } from '../support/addresses.ts';
import { everything, production } from '../support/synthesize-stage.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

// Without a directory of its own, every app would leave one behind.
const outdir = temporaryDirectory();
const settings = (context: Record<string, unknown>) =>
  readSettings(new App({ context, outdir }).node);

describe('the settings', () => {
  test('are those of a development stage unless they say otherwise', () => {
    expect(settings({})).toEqual({
      stage: 'dev',
      env: {},
      given: {},
      named: [],
      onlyOnce: [],
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

  const ofProduction = {
    stage: 'prod',
    env: {},
    keepData: true,
    sender: production.sender,
    senderIdentity: production.sender,
    createSenderIdentity: true,
    logs: {
      retention: RetentionDays.ONE_YEAR,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    },
    removalPolicy: RemovalPolicy.RETAIN,
    alarms: { email: production.alarmEmail },
    tls: '1.3',
    firewall: { requestsPerToken: 15_000, requestsPerAddress: 30_000 },
    throttling: { rate: 500, burst: 1000 },
    mailsAtOnce: 2,
    recordSenders: [],
    sourceMaps: false,
    rollout: 'canary',
  };

  test('require production by name, its sender and an alarm recipient', () => {
    expect(settings(production)).toMatchObject(ofProduction);
  });

  test('are all taken as text, as the command line gives them', () => {
    expect(settings(everything)).toMatchObject({
      ...ofProduction,
      senderIdentity: everything.senderIdentity,
      logs: { ...ofProduction.logs, retention: RetentionDays.ONE_MONTH },
      alarms: { topicArn: everything.alarmTopicArn },
      domain: { name: everything.domainName, certificateArn: everything.certificateArn },
      firewall: { requestsPerToken: 5000, requestsPerAddress: 7000 },
      throttling: { rate: 50, burst: 70 },
      reservedConcurrency: 20,
      mailsAtOnce: 3,
      replyTo: everything.replyTo,
      offerUrl: everything.offerUrl,
      referenceUrl: 'https://docs.company.example/',
      recordSenders: everything.recordSenders.split(','),
    });
  });
});

const flag = { valid: ['true', 'false', true, false], invalid: ['perhaps', 1] };

/** For each setting what it may be and what not, in a context that it goes with. */
const each: Record<string, { valid: unknown[]; invalid: unknown[]; with?: object }> = {
  stage: {
    valid: ['dev', 'staging', 'pr-123', `a${'-'.repeat(30)}`],
    invalid: ['Prod', '1st', `a${'b'.repeat(31)}`, '', null],
  },
  account: {
    valid: ['123456789012', '000000000001', 123456789012],
    invalid: ['12345678901', true],
  },
  region: { valid: ['eu-central-1', 'us-gov-west-1'], invalid: ['eu-central-9', 'Frankfurt', 1] },
  keepData: { ...flag, with: production },
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
      'arn:aws:iam::123456789012:role/hr/payroll',
      'arn:aws:iam::123456789012:user/hr,arn:aws:events:eu-west-1:123456789012:rule/bus/records',
    ],
    invalid: ['payroll', 'arn:aws:iam::123456789012:role/*', 'arn:aws:iam::123456789012:root'],
  },
  alarmEmail: { valid: ['operators@company.example'], invalid: ['operators'] },
  alarmTopicArn: {
    valid: ['arn:aws-us-gov:sns:us-gov-west-1:123456789012:wake_us-1'],
    invalid: ['operators', 'arn:aws:sqs:eu-central-1:123456789012:operators'],
  },
  domainName: {
    ...{ valid: domains, invalid: noDomains.filter(Boolean) },
    with: { certificateArn: everything.certificateArn },
  },
  certificateArn: {
    valid: [everything.certificateArn],
    invalid: ['arn:aws:acm:eu-central-1:1:certificate/1b2c'],
    with: { domainName: everything.domainName },
  },
  referenceUrl: {
    valid: ['https://docs.company.example', 'https://company.example/api/v1/'],
    invalid: ['http://docs.company.example', 'https://docs.company.example/$context.identity'],
  },
  tls: { valid: ['1.2', '1.3', 1.2, 1.3], invalid: ['1.1'] },
  firewall: flag,
  requestsPerToken: { valid: ['10', '2000000000'], invalid: ['9'], with: { firewall: 'true' } },
  requestsPerAddress: { valid: ['10', '2000000000'], invalid: ['9'], with: { firewall: 'true' } },
  throttlingRate: { valid: ['1', '10000', 1, 10_000], invalid: ['0', '10001', true] },
  throttlingBurst: { valid: ['1', '5000'], invalid: ['1.5'] },
  reservedConcurrency: { valid: ['1', '1000'], invalid: ['-1'] },
  mailsAtOnce: { valid: ['2', '1000'], invalid: ['1'] },
  canary: { ...flag, with: production },
  sourceMaps: flag,
  table: {
    valid: ['WorkforcePayments-restored', 'Restored_2026-11-01', 'a.b'],
    invalid: ['ab', 'arn:aws:dynamodb:eu-central-1:123456789012:table/Restored'],
  },
  // 9999 is the CDK's name for a log group that keeps its logs for ever.
  logRetentionDays: { valid: ['1', '30', 400], invalid: ['8', 'ONE_WEEK', '9999', true] },
};

test.each(Object.entries(each))(
  '%s takes what is valid, and says what it may be',
  (name, { valid, invalid, with: others = {} }) => {
    for (const value of valid) {
      expect(() => settings({ ...others, [name]: value })).not.toThrow();
    }
    for (const value of invalid) {
      expect(() => settings({ ...others, [name]: value })).toThrow(
        expect.objectContaining({
          name: 'SettingsError',
          message: expect.stringMatching(new RegExp(`^The context ${name} must .+\\.$`)),
        }),
      );
    }
  },
);

test('what belongs to keeping data follows that setting, and not the name of a stage', () => {
  const { stage: _, given: __, named: ___, onlyOnce: ____, ...others } = settings(production);
  expect(settings({ ...production, stage: 'staging', keepData: 'true' })).toMatchObject(others);
  const { sender } = production;
  const { keepData, removalPolicy, logs, rollout, sourceMaps } = settings({ sender });
  expect(settings({ stage: 'prod', keepData: 'false', sender })).toMatchObject({
    ...{ keepData, removalPolicy, logs, rollout, sourceMaps },
  });
});

test('a permissions boundary that the CDK would ignore is refused', () => {
  const boundary = (value: unknown) => () =>
    settings({ '@aws-cdk/core:permissionsBoundary': value });
  expect(boundary({ name: 'acme' })).not.toThrow();
  expect(boundary({ arn: 'arn:aws:iam::123456789012:policy/acme' })).not.toThrow();
  for (const value of ['{"name":"acme"}', 'acme', '', {}, { Name: 'acme' }, { name: '' }]) {
    expect(boundary(value)).toThrow(
      /^The context @aws-cdk\/core:permissionsBoundary must be an object .+ in cdk\.json: /,
    );
  }
});

const sentenceForEach =
  /^The context stage .+\.\nThe context sender .+\.\nThe context logRetentionDays .+\.$/;
const { domainName, certificateArn, alarmTopicArn } = everything;

test.each([
  [{ stage: 'X', sender: 'x', logRetentionDays: 'x' }, sentenceForEach],
  [{ stage: 'prod', domainName }, /^.+"sender".+\n.+"alarmEmail".+ in cdk.+\n.+each other\.$/],
  [{ stage: 'prod', sender: production.sender }, /^.+ its data needs an alarm recipient.+\.$/],
  [{ ...production, alarmTopicArn }, /^Give alarmEmail or alarmTopicArn: /],
  [{ senderIdentity: 'company.example' }, /^The context senderIdentity must be the sender or /],
  [{ createSenderIdentity: 'true' }, /^The context createSenderIdentity needs a sender\.$/],
  [{ certificateArn }, /^The contexts domainName and certificateArn need each other\.$/],
  [{ requestsPerToken: '100' }, /^The contexts requestsPerToken and .+ the firewall\.$/],
  [{ ...production, requestsPerAddress: '9999', firewall: 'false' }, /.+ the firewall\.$/],
  [{ canary: 'false' }, /^The context canary needs a stage that keeps its data: /],
])('%j has a sentence for each fault and contradiction', (context, sentence) => {
  expect(() => settings(context)).toThrow(SettingsError);
  expect(() => settings(context)).toThrow(sentence);
});

test('an unknown context is rejected with the list of valid ones', () => {
  expect(() => settings({ Stage: 'prod' })).toThrow(
    `Unknown context Stage. Valid contexts: ${Object.keys(each).join(', ')}.`,
  );
});

test.each(['log-retention-days', 'SENDER', 'CLI-telemetry'])(
  'an unknown context is rejected, though it resembles a setting or a name of the CDK: %s',
  (name) => {
    expect(() => settings({ [name]: 'true' })).toThrow(`Unknown context ${name}.`);
  },
);

test('a context that the CDK itself sets is accepted', () => {
  const context = {
    'aws:cdk:enable-path-metadata': true,
    'aws-cdk:enableDiffNoFail': 'true',
    '@aws-cdk/core:newStyleStackSynthesis': true,
    'availability-zones:account=123456789012:region=eu-central-1': ['eu-central-1a'],
    'hosted-zone:account=123456789012:domainName=company.example:region=eu-central-1': {},
    'acknowledged-issue-numbers': [34892],
    'cli-telemetry': false,
    'cdk-migrate': true,
    'assets-ecr-repository-name': 'assets',
  };
  expect(settings(context)).toEqual(settings({}));
});

/** The settings of a stage as cdk.json has them, which the CDK takes as JSON. */
const inFile = ({ stage: _, ...given }: Record<string, unknown>) =>
  JSON.parse(JSON.stringify(given));

describe('the settings of a stage in cdk.json', () => {
  const stages = {
    prod: { ...inFile(production), throttlingRate: 70, domainName: null },
    'prod-eu': { throttlingRate: 80 },
    dev: {},
  };

  test('are those of the stage that the command names, and of no other', () => {
    expect(settings({ stage: 'prod', stages })).toMatchObject({
      sender: production.sender,
      throttling: { rate: 70 },
    });
    const rates = ['dev', 'pro', 'prod-', 'prod-eu', 'prod-eu-1', 'valueof'].map(
      (stage) => settings({ stage, stages }).throttling.rate,
    );
    expect(rates).toEqual([500, 500, 500, 80, 500, 500]);
    expect(settings({ stages })).toEqual(settings({}));
  });

  test('are overridden by the command, which is in no file', () => {
    const command = { throttlingRate: '60', sourceMaps: 'true', sender: production.sender };
    expect(settings({ stage: 'prod', stages, ...command })).toMatchObject({
      throttling: { rate: 60 },
      sourceMaps: true,
      onlyOnce: ['throttlingRate', 'sourceMaps'],
    });
  });

  test('may be none there and on the command line, which is named and not given', () => {
    const prod = { ...inFile(everything), certificateArn: null };
    const { given, named, domain } = settings({ stage: 'prod', stages: { prod }, domainName: '' });
    expect(domain).toBeUndefined();
    expect(named).toEqual(expect.arrayContaining(['domainName', 'certificateArn']));
    expect(Object.keys(given).filter((name) => /domain|certificate/.test(name))).toEqual([]);
  });

  test.each([
    ['a text, as the command line gives it', 'prod'],
    ['a list', [{ stage: 'prod' }]],
    ['null', null],
    ['without an object for a stage', { prod: null }],
    ['with settings of no stage', { sender: 'offers@company.example' }],
    ['with a name that no stage can have', { Prod: {} }],
    ['with a stage in a stage', { prod: { stage: 'prod' } }],
  ])('are refused %s', (_, wrong) => {
    expect(() => settings({ stage: 'dev', stages: wrong })).toThrow(
      /^The context stages must be an object in cdk\.json with the settings of each stage: /,
    );
  });

  test('are named with their place where they are wrong', () => {
    const prod = { ...inFile(production), throttlingRate: 0, acount: '123456789012' };
    expect(() => settings({ stage: 'prod', stages: { prod } })).toThrow(
      /^The context stages\.prod\.throttlingRate must .+\nUnknown context stages\.prod\.acount\. /,
    );
    const rate = () => settings({ stage: 'prod', stages: { prod }, throttlingRate: 'x' });
    expect(rate).toThrow(/^The context throttlingRate must /);
  });

  test('give the stacks their account and region', () => {
    const env = { account: '123456789012', region: 'eu-central-1' };
    expect(settings({ stages: { dev: { ...env, account: 123456789012 } } }).env).toEqual(env);
  });
});

describe('what was given', () => {
  test('is the same however it is written, and in whatever order', () => {
    const written = { keepData: true, tls: 1.2, mailsAtOnce: 3, logRetentionDays: 30 };
    const command = { logRetentionDays: '30', mailsAtOnce: '3.0', tls: '1.2', keepData: 'yes' };
    const { sender, alarmEmail } = production;
    const [fromFile, fromCommand] = [
      { stages: { staging: { ...written, sender, alarmEmail } } },
      { alarmEmail, sender, ...command },
    ].map((context) => encodeGiven(settings({ stage: 'staging', ...context }).given));
    expect(fromFile).toBe(fromCommand);
    expect(JSON.parse(fromFile ?? '')).toEqual({
      ...{ keepData: 'true', tls: '1.2', mailsAtOnce: '3', logRetentionDays: '30' },
      ...{ sender, alarmEmail },
    });
  });

  test('fits into an output, and still shows each change', () => {
    const given = Object.fromEntries(Object.keys(each).map((name) => [name, name.repeat(100)]));
    const encoded = encodeGiven(given);
    expect(encoded.length).toBeLessThanOrEqual(1024);
    expect(decodeGiven(encoded, given)).toEqual(given);
    for (const name of Object.keys(given)) {
      expect(decodeGiven(encoded, { ...given, [name]: 'other' })[name]).not.toBe('other');
    }
    const recordSenders = Array(30).fill(everything.recordSenders).join();
    const { given: few } = settings({ ...everything, recordSenders });
    expect(JSON.parse(encodeGiven(few))).toEqual({
      ...few,
      recordSenders: expect.stringMatching(/^#[0-9a-f]{12}$/),
    });
  });
});

describe('an ARN of another account or region', () => {
  const here = { account: '123456789012', region: 'eu-central-1' };
  const arn = (service: string, region: string, account: string, resource: string) =>
    `arn:aws:${service}:${region}:${account}:${resource}`;

  test.each([
    ['alarmTopicArn', arn('sns', 'eu-west-1', here.account, 'operators')],
    ['certificateArn', arn('acm', 'us-east-1', here.account, 'certificate/1b2c-3d4e')],
    ['certificateArn', arn('acm', here.region, '999999999999', 'certificate/1b2c-3d4e')],
    ['recordSenders', arn('iam', '', '999999999999', 'role/payroll')],
    ['recordSenders', arn('events', 'eu-west-1', here.account, 'rule/bus/records')],
    ['recordSenders', arn('events', here.region, '999999999999', 'rule/bus/records')],
  ])('is refused where it would have no effect: %s %s', (name, value) => {
    const context = { ...everything, [name]: value };
    expect(() => settings({ ...context, ...here })).toThrow(
      `The context ${name} must be of the stage's account and region: ${value}.`,
    );
    expect(() => settings(context)).not.toThrow();
  });

  test.each([
    ['alarmTopicArn', arn('sns', here.region, '999999999999', 'operators')],
    ['recordSenders', arn('sns', 'eu-west-1', '999999999999', 'records')],
  ])('is accepted where policies alone decide: %s %s', (name, value) => {
    expect(() => settings({ ...everything, ...here, [name]: value })).not.toThrow();
  });
});

describe('lib/DEPLOY.md', () => {
  const page = readFileSync('lib/DEPLOY.md', 'utf8');

  test('lists each setting with its default and its example, which is valid', () => {
    const rows = [...page.matchAll(/^- `(\w+)` \((.+?); `(.+?)`\): /gm)];
    const documented = Object.entries(Context.shape).map(([name, schema]) => {
      const { unset, example } = schema.meta() ?? {};
      const { success, data } = schema.safeParse(undefined);
      expect([name, success, schema.safeParse(example).success]).toEqual([name, true, true]);
      return [name, unset ?? `\`${data}\``, String(example)];
    });
    expect(rows.map(([, ...cells]) => cells)).toEqual(documented);
  });

  test('begins with a file that is valid', () => {
    const [, file = ''] = /```json\n(.+?)```/s.exec(page) ?? [];
    const { app, context } = JSON.parse(file);
    expect(app).toBe(JSON.parse(readFileSync('cdk.json', 'utf8')).app);
    expect(settings({ stage: 'prod', ...context })).toMatchObject({ keepData: true });
  });
});
