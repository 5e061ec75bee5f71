import { describe, expect, test } from 'vitest';
import {
  asText,
  developmentTemplate,
  functionsOf,
  mentioned,
  queuesOf,
  resourceOf,
  resourcesOf,
  type SynthesizedTemplate,
} from '../support/read-template.ts';
import { everything, production, templateOf } from '../support/synthesize-stage.ts';

const minimal = await templateOf(production);
const withDomain = await templateOf(everything);

const dnsRecordsOf = (template: SynthesizedTemplate) =>
  Object.entries(template.Outputs)
    .filter(([name]) => name.startsWith('Dkim'))
    .map(([, { Value }]) => asText(Value));

describe('what SES is to verify', () => {
  test('is the address of the sender, which takes no DNS records', () => {
    const [, { Properties }] = resourceOf(minimal, 'AWS::SES::EmailIdentity');
    expect(Properties.EmailIdentity).toBe(production.sender);
    expect(dnsRecordsOf(minimal)).toEqual([]);
  });

  test('is a domain where one is given; the outputs say what its DNS must hold', () => {
    const [identity, { Properties }] = resourceOf(withDomain, 'AWS::SES::EmailIdentity');
    expect(Properties.EmailIdentity).toBe(everything.senderIdentity);
    expect(dnsRecordsOf(withDomain)).toEqual(
      [1, 2, 3].map(
        (n) => `\${${identity}.DkimDNSTokenName${n}} CNAME \${${identity}.DkimDNSTokenValue${n}}`,
      ),
    );
  });

  test('outlives the stack, in which nothing else can send with it, but for one that failed', () => {
    const [, { DeletionPolicy }] = resourceOf(minimal, 'AWS::SES::EmailIdentity');
    expect(DeletionPolicy).toBe('RetainExceptOnCreate');
  });

  test('is nothing in development, nor where the account has it already', async () => {
    const shared = await templateOf({ ...production, createSenderIdentity: 'false' });
    expect(resourcesOf(shared, 'AWS::SES::EmailIdentity')).toEqual([]);
    expect(resourcesOf(developmentTemplate(), 'AWS::SES::EmailIdentity')).toEqual([]);
  });

  test('sends no copies of bounces by mail: they come as events', () => {
    const [, { Properties }] = resourceOf(minimal, 'AWS::SES::EmailIdentity');
    expect(Properties.FeedbackAttributes).toEqual({ EmailForwardingEnabled: false });
  });
});

describe.each([
  ['dev', developmentTemplate()],
  ['prod', minimal],
  ['prod with everything', withDomain],
])('the configuration set of %s', (_, template) => {
  const [configurationSet, { Properties }] = resourceOf(template, 'AWS::SES::ConfigurationSet');
  const { queue, deadLetters } = queuesOf(template, 'record-mail-event');
  const [rule, { Properties: ends }] = resourceOf(template, 'AWS::Events::Rule');

  test('is what offers are sent with', () => {
    const [, lambda] = functionsOf(template).get('deliver-offer') ?? [];
    expect(lambda?.Properties.Environment.Variables.CONFIGURATION_SET).toEqual({
      Ref: configurationSet,
    });
  });

  test('mails no address again that bounced or complained, and shows the reputation', () => {
    expect(Properties.SuppressionOptions.SuppressedReasons).toEqual(['BOUNCE', 'COMPLAINT']);
    expect(Properties.ReputationOptions).toEqual({ ReputationMetricsEnabled: true });
  });

  test("reports the end of each mail to the account's default bus", () => {
    const [, { Properties: destination }] = resourceOf(
      template,
      'AWS::SES::ConfigurationSetEventDestination',
    );
    expect(destination.ConfigurationSetName).toEqual({ Ref: configurationSet });
    const { Enabled, MatchingEventTypes, EventBridgeDestination } = destination.EventDestination;
    expect(Enabled).toBe(true);
    expect([...MatchingEventTypes].sort()).toEqual(['bounce', 'complaint', 'delivery']);
    expect(asText(EventBridgeDestination.EventBusArn)).toMatch(/:event-bus\/default$/);
  });

  test('has a rule that takes its own events from that bus, and no others', () => {
    expect(ends).not.toHaveProperty('EventBusName');
    expect(ends.State).toBe('ENABLED');
    // The names of the event types are SES's ("SES events schema reference").
    expect(ends.EventPattern).toEqual({
      source: ['aws.ses'],
      'detail-type': ['Email Delivered', 'Email Bounced', 'Email Complaint Received'],
      detail: { mail: { tags: { 'ses:configuration-set': [{ Ref: configurationSet }] } } },
    });
  });

  test('has its events put into the queue of record-mail-event, or into its dead letters', () => {
    expect(ends.Targets).toEqual([
      expect.objectContaining({
        Arn: { 'Fn::GetAtt': [queue, 'Arn'] },
        DeadLetterConfig: { Arn: { 'Fn::GetAtt': [deadLetters, 'Arn'] } },
      }),
    ]);
  });

  test('lets that rule alone send to the queue', () => {
    const allowed = resourcesOf(template, 'AWS::SQS::QueuePolicy').flatMap(
      ([, { Properties: policy }]) =>
        policy.PolicyDocument.Statement.filter(
          ({ Effect }: { Effect: string }) => Effect === 'Allow',
        ).map((statement: Record<string, unknown>) => ({ queues: policy.Queues, ...statement })),
    );
    expect(allowed.map(({ Resource }) => mentioned(Resource)).sort()).toEqual(
      [[queue], [deadLetters]].sort(),
    );
    for (const { queues, Resource, Action, Principal, Condition } of allowed) {
      expect(mentioned(queues)).toEqual(mentioned(Resource));
      expect([Action].flat()).toContain('sqs:SendMessage');
      expect([Action].flat()).not.toContain('sqs:ReceiveMessage');
      expect(Principal).toEqual({ Service: 'events.amazonaws.com' });
      expect(Condition).toEqual({
        ArnEquals: { 'aws:SourceArn': { 'Fn::GetAtt': [rule, 'Arn'] } },
      });
    }
  });
});
