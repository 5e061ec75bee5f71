import { App, RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, test } from 'vitest';
import { readSettings, SettingsError } from '../../lib/settings.ts';
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
    expect(settings(production)).toEqual(ofProduction);
  });

  test('are all taken as text, as the command line gives them', () => {
    expect(settings(everything)).toEqual({
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

/** For each setting what is valid, in a context that it goes with. */
const each: Record<string, { valid: unknown[]; with?: Record<string, string> }> = {
  stage: { valid: ['dev', 'staging', 'pr-123', `a${'-'.repeat(30)}`] },
  keepData: { valid: ['true', 'false'], with: production },
  sender: { valid: ['offers@company.example', 'o+1@mail.company.example'] },
  senderIdentity: {
    valid: ['offers@mail.company.example', 'mail.company.example', 'company.example'],
    with: { sender: 'offers@mail.company.example' },
  },
  createSenderIdentity: {
    valid: ['true', 'false', true, false],
    with: { sender: 'offers@company.example' },
  },
  logRetentionDays: { valid: ['1', '30', '90', 400] },
  alarmEmail: { valid: ['operators@company.example'] },
  alarmTopicArn: {
    valid: [
      'arn:aws:sns:eu-central-1:123456789012:operators',
      'arn:aws-us-gov:sns:us-gov-west-1:123456789012:wake_us-1',
    ],
  },
  domainName: {
    valid: ['api.company.example', 'a-b.c0.example'],
    with: { certificateArn: everything.certificateArn },
  },
  certificateArn: {
    valid: [everything.certificateArn],
    with: { domainName: everything.domainName },
  },
  tls: { valid: ['1.2', '1.3', 1.2, 1.3] },
  firewall: { valid: ['true', 'false'] },
  requestsPerToken: { valid: ['10', '2000000000'], with: { firewall: 'true' } },
  requestsPerAddress: { valid: ['10', '2000000000'], with: { firewall: 'true' } },
  throttlingRate: { valid: ['1', '10000', 1, 10_000] },
  throttlingBurst: { valid: ['1', '5000'] },
  reservedConcurrency: { valid: ['1', '1000'] },
  mailsAtOnce: { valid: ['2', '1000'] },
  replyTo: { valid: ['people@company.example'] },
  offerUrl: {
    valid: ['https://app.company.example/offers/{id}', 'https://company.example/?offer={id}&a=b'],
  },
  referenceUrl: { valid: ['https://docs.company.example', 'https://company.example/api/v1/'] },
  recordSenders: {
    valid: [
      'arn:aws:iam::123456789012:role/hr/payroll',
      'arn:aws:iam::123456789012:user/hr,arn:aws:events:eu-west-1:123456789012:rule/bus/records',
    ],
  },
  canary: { valid: ['true', 'false'], with: production },
  sourceMaps: { valid: ['true', 'false'] },
  table: { valid: ['WorkforcePayments-restored', 'Restored_2026-11-01', 'a.b'] },
};

const invalid: [string, unknown][] = [
  ['stage', 'Prod'],
  ['stage', '1st'],
  ['stage', `a${'b'.repeat(31)}`],
  ['stage', ''],
  ['keepData', 'perhaps'],
  ['tls', '1.1'],
  ['referenceUrl', 'http://docs.company.example'],
  ['referenceUrl', 'https://docs.company.example/$context.identity'],
  ['sender', 'nobody'],
  ['sender', 'Offers <offers@company.example>'],
  ['senderIdentity', ''],
  ['senderIdentity', 'other.example'],
  ['senderIdentity', 'another@mail.company.example'],
  ['createSenderIdentity', 'maybe'],
  ['logRetentionDays', '8'],
  ['logRetentionDays', 'ONE_WEEK'],
  // The CDK's name for a log group that keeps its logs for ever.
  ['logRetentionDays', '9999'],
  ['logRetentionDays', true],
  ['alarmEmail', 'operators'],
  ['alarmTopicArn', 'operators'],
  ['alarmTopicArn', 'arn:aws:sqs:eu-central-1:123456789012:operators'],
  ['domainName', 'API.company.example'],
  ['certificateArn', 'arn:aws:acm:eu-central-1:1:certificate/1b2c'],
  ['firewall', 'perhaps'],
  ['requestsPerToken', '9'],
  ['requestsPerAddress', '9'],
  ['throttlingRate', '0'],
  ['throttlingRate', '10001'],
  ['throttlingRate', true],
  ['throttlingBurst', '1.5'],
  ['reservedConcurrency', '-1'],
  ['mailsAtOnce', '1'],
  ['replyTo', 'People <people@company.example>'],
  ['offerUrl', 'https://app.company.example/offers'],
  ['offerUrl', 'http://app.company.example/offers/{id}'],
  ['offerUrl', 'https://app.company.example/{account}/offers/{id}'],
  ['recordSenders', 'payroll'],
  ['recordSenders', 'arn:aws:iam::123456789012:role/*'],
  ['recordSenders', 'arn:aws:iam::123456789012:root'],
  ['canary', '10 %'],
  ['sourceMaps', 'inline'],
  ['table', 'ab'],
  ['table', 'arn:aws:dynamodb:eu-central-1:123456789012:table/Restored'],
];

describe.each(Object.entries(each))('%s', (name, { valid, with: others = {} }) => {
  test('may be these', () => {
    for (const value of valid) {
      expect(() => settings({ ...others, [name]: value })).not.toThrow();
    }
  });

  const wrong = invalid.filter(([of]) => of === name);

  test('may not be these, and the answer says what it may be', () => {
    expect(wrong.length).toBeGreaterThan(0);
    for (const [, value] of wrong) {
      expect(() => settings({ ...others, [name]: value })).toThrow(
        expect.objectContaining({
          name: 'SettingsError',
          message: expect.stringMatching(new RegExp(`^The context ${name} must .+\\.$`)),
        }),
      );
    }
  });
});

test('domainName takes every domain, and nothing else; senderIdentity that of its sender', () => {
  const { certificateArn } = everything;
  for (const domainName of domains) {
    expect(() => settings({ domainName, certificateArn })).not.toThrow();
    expect(() => settings({ sender: `a@${domainName}`, senderIdentity: domainName })).not.toThrow();
  }
  for (const domainName of noDomains) {
    expect(() => settings({ domainName, certificateArn })).toThrow(SettingsError);
  }
});

test('each that is wrong is answered with a sentence of its own', () => {
  expect(() => settings({ stage: 'X', sender: 'x', logRetentionDays: 'x' })).toThrow(
    /^The context stage .+\.\nThe context sender .+\.\nThe context logRetentionDays .+\.$/,
  );
});

test('what belongs to keeping data follows that setting, and not the name of a stage', () => {
  const { stage: _, ...others } = settings(production);
  expect(settings({ ...production, stage: 'staging', keepData: 'true' })).toEqual({
    stage: 'staging',
    ...others,
  });
  const { stage: __, ...given } = settings({ sender: production.sender });
  expect(settings({ stage: 'prod', keepData: 'false', sender: production.sender })).toEqual({
    stage: 'prod',
    ...given,
  });
});

test('the domain of a sender and of its identity may differ in case', () => {
  expect(() =>
    settings({ sender: 'a@Mail.Company.Example', senderIdentity: 'company.example' }),
  ).not.toThrow();
  expect(() => settings({ sender: 'a@b.example', senderIdentity: 'a@B.example' })).not.toThrow();
  expect(() => settings({ sender: 'a@b.example', senderIdentity: 'A@b.example' })).toThrow(
    SettingsError,
  );
});

test('a domain with capital letters is refused with that reason', () => {
  const { certificateArn } = everything;
  expect(() => settings({ domainName: 'API.Example.com', certificateArn })).toThrow(
    'The context domainName must be a domain in lower case, such as api.your.domain.',
  );
  expect(() => settings({ sender: 'a@b.example', senderIdentity: 'B.example' })).toThrow(
    'The context senderIdentity must be the sender or a domain that it is in, in lower case.',
  );
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

describe('what is right by itself', () => {
  const domain = { domainName: everything.domainName };
  const certificate = { certificateArn: everything.certificateArn };

  test.each([
    [
      { stage: 'prod', alarmEmail: production.alarmEmail },
      /its data needs the address .+ --context sender=/,
    ],
    [
      { stage: 'prod', sender: production.sender },
      /its data needs an alarm recipient: --context alarmEmail=/,
    ],
    [
      { ...production, alarmTopicArn: everything.alarmTopicArn },
      /^Give alarmEmail or alarmTopicArn: /,
    ],
    [{ senderIdentity: 'company.example' }, /^The context senderIdentity must be the sender or /],
    [{ createSenderIdentity: 'true' }, /^The context createSenderIdentity needs a sender\.$/],
    [domain, /^The contexts domainName and certificateArn need each other\.$/],
    [certificate, /^The contexts domainName and certificateArn need each other\.$/],
    [{ requestsPerToken: '100' }, /^The contexts requestsPerToken and .+ firewall=true\.$/],
    [
      { ...production, requestsPerAddress: '100', firewall: 'false' },
      /^The contexts requestsPerToken and .+ firewall=true\.$/,
    ],
    [{ canary: 'false' }, /^The context canary needs a stage that keeps its data: /],
  ])('may contradict: %j', (context, sentence) => {
    expect(() => settings(context)).toThrow(SettingsError);
    expect(() => settings(context)).toThrow(sentence);
  });

  test('is answered with a sentence for each contradiction', () => {
    expect(() => settings({ stage: 'prod', ...domain })).toThrow(
      /^.+sender=.+\n.+alarmEmail=.+\n.+each other\.$/,
    );
  });
});

describe('an unknown context', () => {
  test('is rejected with the list of valid ones', () => {
    expect(() => settings({ Stage: 'prod' })).toThrow(
      `Unknown context Stage. Valid contexts: ${Object.keys(each).join(', ')}.`,
    );
  });

  test.each(['log-retention-days', 'SENDER', 'CLI-telemetry'])(
    'is rejected where it resembles a setting or a name of the CDK: %s',
    (name) => {
      expect(() => settings({ [name]: 'true' })).toThrow(`Unknown context ${name}.`);
    },
  );

  test('is accepted where the CDK itself sets it', () => {
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
});
