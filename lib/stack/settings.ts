import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import * as z from 'zod';
import { Domain, EmailAddress } from '../../functions/domain/address.ts';

const number = (isValid: (value: number) => boolean, message: string) =>
  z.number(message).refine(isValid, message);

const wholeNumber = (least: number, most: number) =>
  number(
    (value) => Number.isInteger(value) && value >= least && value <= most,
    `must be a whole number from ${least} to ${most}, without quotes`,
  );

const text = (pattern: RegExp, message: string) => z.string(message).regex(pattern, message);

const valid = (schema: z.core.$ZodType, message: string) =>
  z.string(message).refine((value) => z.safeParse(schema, value).success, message);

/** A setting that is true or false. */
const yesOrNo = z.boolean('must be true or false, without quotes');

const senderArn =
  'arn:aws[a-z-]*:(iam::\\d{12}:(role|user)/[\\w+=.@/-]+|sns:[a-z0-9-]+:\\d{12}:[\\w-]+|events:[a-z0-9-]+:\\d{12}:rule/[\\w./-]+)';

/** For texts of digits, which JSON may have without quotes. */
const textOrNumber = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (typeof value === 'number' ? String(value) : value), schema);

/** Whether AWS has this region, as far as the installed CDK knows. */
const isRegion = (name: unknown): boolean =>
  RegionInfo.regions.some((region) => region.name === name);

const StageName = z.string().regex(/^[a-z][a-z0-9-]{0,30}$/);

/** A sentence for each name that no stage can have. */
export const wrongNames = (stages: readonly string[]): string[] =>
  stages
    .filter((stage) => !StageName.safeParse(stage).success)
    .map(
      (stage) =>
        `The name of a stage has up to 31 lower-case letters, digits and hyphens, a letter first: "${stage}" has not.`,
    );

/**
 * What cdk.json can set for a stage. lib/DEPLOY.md lists each with its default and its example:
 * `defaultText` is the default of what has none in its schema.
 */
export const StageSettings = z.strictObject({
  account: textOrNumber(text(/^\d{12}$/, 'must be the 12 digits of an AWS account'))
    .optional()
    .meta({ defaultText: 'that of the credentials', example: '123456789012' }),
  region: z
    .string('must be an AWS region')
    .refine(isRegion, 'must be an AWS region that the installed version of the CDK knows')
    .optional()
    .meta({ defaultText: 'that of the command', example: 'eu-central-1' }),
  keepData: yesOrNo.optional().meta({ defaultText: '`false`, in `prod` `true`', example: true }),
  sender: valid(EmailAddress, 'must be the e-mail address that offers are sent from')
    .optional()
    .meta({ defaultText: '`offers@example.com`', example: 'offers@your.domain' }),
  senderIdentity: z
    .union([EmailAddress, Domain], 'must be the sender or a domain that it is in, in lower case')
    .optional()
    .meta({ defaultText: 'the sender', example: 'your.domain' }),
  createSenderIdentity: yesOrNo
    .optional()
    .meta({ defaultText: '`true` with `sender`', example: false }),
  replyTo: valid(EmailAddress, 'must be the e-mail address that replies to offers go to')
    .optional()
    .meta({ defaultText: 'the sender', example: 'people@your.domain' }),
  offerUrl: text(
    /^https:\/\/[^\s{}]+\{id\}[^\s{}]*$/,
    'must be the address of an offer, with {id}, such as https://app.your.domain/offers/{id}',
  )
    .optional()
    .meta({ defaultText: 'none', example: 'https://app.your.domain/offers/{id}' }),
  recordSenders: text(
    new RegExp(`^${senderArn}(,${senderArn})*$`),
    'must be ARNs of roles, users, SNS topics or EventBridge rules, with commas between',
  )
    .optional()
    .meta({ defaultText: 'none', example: 'arn:aws:iam::123456789012:role/payroll' }),
  alarmEmail: valid(EmailAddress, 'must be an e-mail address')
    .optional()
    .meta({ defaultText: 'none', example: 'operators@your.domain' }),
  alarmTopicArn: text(
    /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]+$/,
    'must be the ARN of an SNS topic',
  )
    .optional()
    .meta({ defaultText: 'none', example: 'arn:aws:sns:eu-central-1:123456789012:operators' }),
  domainName: valid(Domain, 'must be a domain in lower case, such as api.your.domain')
    .optional()
    .meta({ defaultText: "API Gateway's", example: 'api.your.domain' }),
  certificateArn: text(
    /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
    'must be the ARN of a certificate in ACM',
  )
    .optional()
    .meta({
      defaultText: 'none',
      example: 'arn:aws:acm:eu-central-1:123456789012:certificate/1b2c-3d4e',
    }),
  tls: textOrNumber(z.enum(['1.2', '1.3'], 'must be 1.3, or 1.2 for 1.2 and 1.3'))
    .default('1.3')
    .meta({ example: '1.2' }),
  firewall: yesOrNo.optional().meta({ defaultText: '`keepData`', example: true }),
  // AWS WAF's limits for a rate-based rule.
  requestsPerToken: wholeNumber(10, 2_000_000_000)
    .optional()
    .meta({ defaultText: '30 times `throttlingRate`', example: 5000 }),
  requestsPerAddress: wholeNumber(10, 2_000_000_000)
    .optional()
    .meta({ defaultText: '60 times `throttlingRate`', example: 10_000 }),
  // API Gateway's quotas for an account; a higher setting would have no effect.
  throttlingRate: wholeNumber(1, 10_000).default(500).meta({ example: 50 }),
  throttlingBurst: wholeNumber(1, 5000).default(1000).meta({ example: 100 }),
  reservedConcurrency: wholeNumber(1, 1000)
    .optional()
    .meta({ defaultText: "the account's pool", example: 20 }),
  // Lambda's limits for a queue's maximum concurrency (Lambda Developer Guide, "Configuring scaling
  // behavior for SQS event source mappings").
  mailsAtOnce: wholeNumber(2, 1000).default(2).meta({ example: 5 }),
  canary: yesOrNo.optional().meta({ defaultText: '`true` with `keepData`', example: false }),
  sourceMaps: yesOrNo.optional().meta({ defaultText: 'the opposite of `keepData`', example: true }),
  // DynamoDB Developer Guide, "Supported data types and naming rules".
  table: text(/^[\w.-]{3,255}$/, 'must be the name of a table: 3 to 255 letters, digits, _, . or -')
    .optional()
    .meta({
      defaultText: 'created by the stack',
      example: 'WorkforcePayments-prod-20261101T101500',
    }),
  // A log group whose retention is INFINITE never deletes its logs (lib/DATA.md).
  logRetentionDays: number(
    (days) => days in RetentionDays && days !== RetentionDays.INFINITE,
    'must be a number of days that CloudWatch Logs accepts, without quotes',
  )
    .optional()
    .meta({ defaultText: '7, with `keepData` 365', example: 90 }),
});
type StageSettings = z.infer<typeof StageSettings>;

/** The validated settings of a stage. */
export type Settings = Readonly<ReturnType<typeof settingsFrom>>;

/** A setting is wrong; the message says which, and what it may be. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** @throws SettingsError with the sentences; `true` stands in the place of one that holds not */
export const refuse = (sentences: readonly (string | true)[]): void => {
  const wrong = sentences.filter((sentence) => sentence !== true);
  if (wrong.length > 0) throw new SettingsError(wrong.join('\n'));
};

/**
 * Validates the settings of a stage.
 *
 * @param inFile as cdk.json has them, where `null` sets nothing
 * @throws SettingsError a sentence about each one that is wrong
 */
export const readSettings = (
  stage = 'dev',
  inFile: Readonly<Record<string, unknown>> = {},
): Settings => {
  refuse(wrongNames([stage]));
  const { success, data, error } = StageSettings.safeParse(
    Object.fromEntries(Object.entries(inFile).filter(([, value]) => value !== null)),
  );
  if (!success) {
    const place = `stages.${stage}`;
    const sentences = error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map(
            (name) => `Unknown setting ${place}.${name}. Valid settings: ${names.join(', ')}.`,
          )
        : `The setting ${place}.${String(issue.path[0])} ${issue.message}.`,
    );
    throw new SettingsError(sentences.join('\n'));
  }
  const settings = settingsFrom(stage, data);
  refuse(contradictions(data, settings));
  return settings;
};

const settingsFrom = (stage: string, data: StageSettings) => {
  const { sender = 'offers@example.com', throttlingRate: rate } = data;
  const { keepData = stage === 'prod', firewall = keepData } = data;
  const canary = data.canary === false ? 'all-at-once' : 'canary';
  return {
    stage,
    /** Where the stage is deployed; what is missing comes from the credentials or the command. */
    env: { account: data.account, region: data.region },
    /**
     * Whether the data outlives the stack, which is then protected and rolled out step by step.
     * Taking it back changes that, and deletes nothing by itself.
     */
    keepData,
    /** Where offers come from. */
    sender,
    /** What SES has verified, or is to verify: the sender's address or a domain that it is in. */
    senderIdentity: data.senderIdentity ?? sender,
    /** Whether the stack makes that identity; it cannot be made where it exists. */
    createSenderIdentity: data.createSenderIdentity ?? data.sender !== undefined,
    /** Of every log group. */
    logs: {
      retention:
        data.logRetentionDays ?? (keepData ? RetentionDays.ONE_YEAR : RetentionDays.ONE_WEEK),
      // A deployment that fails leaves none of those that it has made (AWS CloudFormation User
      // Guide, "DeletionPolicy attribute": RetainExceptOnCreate).
      removalPolicy: keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    },
    /** Of a table that the stack makes. */
    removalPolicy: keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    /** A table that exists, in place of one that the stack makes (lib/RESTORE.md). */
    importedTable: data.table,
    /** The recipient of alarms: none, an address, or a topic that exists. */
    alarms: { email: data.alarmEmail, topicArn: data.alarmTopicArn },
    ...(data.domainName &&
      data.certificateArn && {
        domain: { name: data.domainName, certificateArn: data.certificateArn },
      }),
    /** The oldest version of TLS that the API accepts. */
    tls: data.tls,
    ...(firewall && {
      /** Requests that a token, and that an address, may make in five minutes. */
      firewall: {
        // In five minutes, a tenth and a fifth of what a method takes.
        requestsPerToken: data.requestsPerToken ?? 30 * rate,
        // The systems of a company may share one, each with a token of its own.
        requestsPerAddress: data.requestsPerAddress ?? 60 * rate,
      },
    }),
    /** Requests per second, and the most at one moment, for each method. */
    throttling: { rate, burst: data.throttlingBurst },
    /** For each function that API Gateway calls: kept free for it, and the most that it may use. */
    reservedConcurrency: data.reservedConcurrency,
    mailsAtOnce: data.mailsAtOnce,
    /** Where replies to offers go; to the sender unless given. */
    replyTo: data.replyTo,
    /** Where a recipient reads an offer, with `{id}` in the place of its identifier. */
    offerUrl: data.offerUrl,
    /** Who may send records for any workspace, besides the operators' role. */
    recordSenders: data.recordSenders?.split(',') ?? [],
    /** Whether stack traces name the sources; reading the maps makes cold starts slower. */
    sourceMaps: data.sourceMaps ?? !keepData,
    /** How new versions are released: directly, or by an alias, at once or in steps. */
    rollout: keepData ? canary : 'replace',
  } as const;
};

const names = Object.keys(StageSettings.shape);

/** True, or a sentence where a value that is valid by itself contradicts another one. */
const contradictions = (data: StageSettings, { keepData, firewall }: Settings) => {
  const { sender, senderIdentity, alarmEmail, alarmTopicArn } = data;
  return [
    !keepData ||
      sender !== undefined ||
      'A stage that keeps its data needs the address that offers are sent from, such as "sender": "offers@your.domain" in cdk.json.',
    !keepData ||
      (alarmEmail ?? alarmTopicArn) !== undefined ||
      'A stage that keeps its data needs an alarm recipient, such as "alarmEmail": "operators@your.domain" in cdk.json, or alarmTopicArn.',
    !(alarmEmail && alarmTopicArn) ||
      'Give alarmEmail or alarmTopicArn: a topic has subscribers of its own.',
    senderIdentity === undefined ||
      isWithin(sender ?? '', senderIdentity) ||
      'The setting senderIdentity must be the sender or a domain that it is in.',
    !(data.createSenderIdentity && !sender) || 'The setting createSenderIdentity needs a sender.',
    Boolean(data.domainName) === Boolean(data.certificateArn) ||
      'The settings domainName and certificateArn need each other.',
    (data.requestsPerToken ?? data.requestsPerAddress) === undefined ||
      firewall !== undefined ||
      'The settings requestsPerToken and requestsPerAddress need the firewall.',
    data.canary === undefined ||
      keepData ||
      'The setting canary needs a stage that keeps its data: others replace their functions at once.',
    ...foreignArns(data),
  ];
};

/**
 * A sentence for each ARN that is of no use from there. An alarm notifies topics of its region
 * (CloudWatch API Reference, "PutMetricAlarm"), a domain name has a certificate of its own (API
 * Gateway Developer Guide, "Regional custom domain name"), a rule has a queue of its region as its
 * target, and what another account sends to a queue needs an allowance that its policy does not
 * have. SNS has it.
 */
const foreignArns = ({ account, region, ...settings }: StageSettings): string[] => {
  const isForeign = (arn: string) => {
    const [, , service, of, owner] = arn.split(':');
    return (of && region && of !== region) || (service !== 'sns' && account && owner !== account);
  };
  const recordSenders = settings.recordSenders?.split(',') ?? [];
  const arns = [
    ['alarmTopicArn', settings.alarmTopicArn],
    ['certificateArn', settings.certificateArn],
    ...recordSenders.filter((arn) => !arn.includes(':sns:')).map((arn) => ['recordSenders', arn]),
  ];
  return arns
    .filter(([, arn]) => arn && isForeign(arn))
    .map(([name, arn]) => `The setting ${name} must be of the stage's account and region: ${arn}.`);
};

/** A domain has no case; the local part of an address has one (RFC 5321, section 2.4). */
const lowerDomain = (address: string) =>
  address.replace(/[^@]*$/, (domain) => domain.toLowerCase());

const isWithin = (address: string, identity: string) => {
  const [from, of] = [address, identity].map(lowerDomain);
  return from === of || `.${from?.split('@')[1]}`.endsWith(`.${of}`);
};
