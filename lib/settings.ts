import { createHash } from 'node:crypto';
import { PERMISSIONS_BOUNDARY_CONTEXT_KEY, RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import type { Node } from 'constructs';
import * as z from 'zod';
import { Domain, EmailAddress } from '../functions/domain/address.ts';

// The command line gives texts, cdk.json what JSON has. Not z.coerce, which reads true as 1 and [7]
// as 7.
const number = (isValid: (value: number) => boolean, message: string) =>
  z.union([z.number(), z.string().regex(/\S/).transform(Number)], message).refine(isValid, message);

const wholeNumber = (least: number, most: number) =>
  number(
    (value) => Number.isInteger(value) && value >= least && value <= most,
    `must be a whole number from ${least} to ${most}`,
  );

const text = (pattern: RegExp, message: string) => z.string(message).regex(pattern, message);

const valid = (schema: z.core.$ZodType, message: string) =>
  z.string(message).refine((value) => z.safeParse(schema, value).success, message);

/** A setting that is true or false. */
const yesOrNo = z.union([z.boolean(), z.stringbool()], 'must be true or false');

const senderArn =
  'arn:aws[a-z-]*:(iam::\\d{12}:(role|user)/[\\w+=.@/-]+|sns:[a-z0-9-]+:\\d{12}:[\\w-]+|events:[a-z0-9-]+:\\d{12}:rule/[\\w./-]+)';

const textOrNumber = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (typeof value === 'number' ? String(value) : value), schema);

/** Whether AWS has this region, as far as the installed CDK knows. */
export const isRegion = (name: unknown): boolean =>
  RegionInfo.regions.some((region) => region.name === name);

const Stage = text(
  /^[a-z][a-z0-9-]{0,30}$/,
  'must be a name of up to 31 lower-case letters, digits and hyphens, with a letter first',
);

/**
 * What can be set for a stage: `stage` on the command line, the others under `stages` in cdk.json.
 * lib/DEPLOY.md lists each with its default and its example: `unset` is the default of what has
 * none in its schema.
 */
export const Context = z.strictObject({
  stage: Stage.default('dev').meta({ example: 'staging' }),
  account: textOrNumber(text(/^\d{12}$/, 'must be the 12 digits of an AWS account'))
    .optional()
    .meta({ unset: 'that of the credentials', example: '123456789012' }),
  region: z
    .string('must be an AWS region')
    .refine(isRegion, 'must be an AWS region that the installed version of the CDK knows')
    .optional()
    .meta({ unset: 'that of the command', example: 'eu-central-1' }),
  keepData: yesOrNo.optional().meta({ unset: '`false`, in `prod` `true`', example: true }),
  sender: valid(EmailAddress, 'must be the e-mail address that offers are sent from')
    .optional()
    .meta({ unset: '`offers@example.com`', example: 'offers@your.domain' }),
  senderIdentity: z
    .union([EmailAddress, Domain], 'must be the sender or a domain that it is in, in lower case')
    .optional()
    .meta({ unset: 'the sender', example: 'your.domain' }),
  createSenderIdentity: yesOrNo.optional().meta({ unset: '`true` with `sender`', example: false }),
  replyTo: valid(EmailAddress, 'must be the e-mail address that replies to offers go to')
    .optional()
    .meta({ unset: 'the sender', example: 'people@your.domain' }),
  offerUrl: text(
    /^https:\/\/[^\s{}]+\{id\}[^\s{}]*$/,
    'must be the address of an offer, with {id}, such as https://app.your.domain/offers/{id}',
  )
    .optional()
    .meta({ unset: 'none', example: 'https://app.your.domain/offers/{id}' }),
  recordSenders: text(
    new RegExp(`^${senderArn}(,${senderArn})*$`),
    'must be ARNs of roles, users, SNS topics or EventBridge rules, with commas between',
  )
    .optional()
    .meta({ unset: 'none', example: 'arn:aws:iam::123456789012:role/payroll' }),
  alarmEmail: valid(EmailAddress, 'must be an e-mail address')
    .optional()
    .meta({ unset: 'none', example: 'operators@your.domain' }),
  alarmTopicArn: text(
    /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]+$/,
    'must be the ARN of an SNS topic',
  )
    .optional()
    .meta({ unset: 'none', example: 'arn:aws:sns:eu-central-1:123456789012:operators' }),
  domainName: valid(Domain, 'must be a domain in lower case, such as api.your.domain')
    .optional()
    .meta({ unset: "API Gateway's", example: 'api.your.domain' }),
  certificateArn: text(
    /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
    'must be the ARN of a certificate in ACM',
  )
    .optional()
    .meta({
      unset: 'none',
      example: 'arn:aws:acm:eu-central-1:123456789012:certificate/1b2c-3d4e',
    }),
  // It is part of templates in which API Gateway fills in what follows a dollar sign.
  referenceUrl: text(
    /^https:\/\/[\w.:/-]+$/,
    'must be the address of the published reference, such as https://docs.your.domain/',
  )
    .optional()
    .meta({ unset: 'none', example: 'https://docs.your.domain/' }),
  tls: textOrNumber(z.enum(['1.2', '1.3'], 'must be 1.3, or 1.2 for 1.2 and 1.3'))
    .default('1.3')
    .meta({ example: '1.2' }),
  firewall: yesOrNo.optional().meta({ unset: '`keepData`', example: true }),
  // AWS WAF's limits for a rate-based rule.
  requestsPerToken: wholeNumber(10, 2_000_000_000)
    .optional()
    .meta({ unset: '30 times `throttlingRate`', example: 5000 }),
  requestsPerAddress: wholeNumber(10, 2_000_000_000)
    .optional()
    .meta({ unset: '60 times `throttlingRate`', example: 10_000 }),
  // API Gateway's quotas for an account; a higher setting would have no effect.
  throttlingRate: wholeNumber(1, 10_000).default(500).meta({ example: 50 }),
  throttlingBurst: wholeNumber(1, 5000).default(1000).meta({ example: 100 }),
  reservedConcurrency: wholeNumber(1, 1000)
    .optional()
    .meta({ unset: "the account's pool", example: 20 }),
  // Lambda's limits for a queue's maximum concurrency (Lambda Developer Guide, "Configuring scaling
  // behavior for SQS event source mappings").
  mailsAtOnce: wholeNumber(2, 1000).default(2).meta({ example: 5 }),
  canary: yesOrNo.optional().meta({ unset: '`true` with `keepData`', example: false }),
  sourceMaps: yesOrNo.optional().meta({ unset: 'the opposite of `keepData`', example: true }),
  // DynamoDB Developer Guide, "Supported data types and naming rules".
  table: text(/^[\w.-]{3,255}$/, 'must be the name of a table: 3 to 255 letters, digits, _, . or -')
    .optional()
    .meta({ unset: 'created by the stack', example: 'WorkforcePayments-prod-20261101T101500' }),
  // A log group whose retention is INFINITE never deletes its logs (lib/DATA.md).
  logRetentionDays: number(
    (days) => days in RetentionDays && days !== RetentionDays.INFINITE,
    'must be a number of days that CloudWatch Logs accepts',
  )
    .optional()
    .meta({ unset: '7, with `keepData` 365', example: 90 }),
});
type Context = z.infer<typeof Context>;

/** The validated settings of a stage. */
export interface Settings extends Readonly<ReturnType<typeof settingsFrom>> {
  /** The settings that were given a value, which `npm run deploy` finds in the stack later. */
  readonly given: Readonly<Record<string, string>>;
  /** The settings that were given, those too that were given as none. */
  readonly named: readonly string[];
  /** Those of them that the command line gives, and cdk.json does not, or otherwise. */
  readonly onlyOnce: readonly string[];
}

/** A setting is wrong; the message says which, and what it may be. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** @throws SettingsError a sentence about each context value that is wrong */
export const readSettings = (node: Node): Settings => {
  const { file, command, isFile } = readSources(node);
  const all: Readonly<Record<string, unknown>> = { ...file, ...command };
  const isGiven = (name: string) => name !== 'stage' && name in all && !isNone(all[name]);
  const { success, data, error } = Context.safeParse(
    Object.fromEntries(Object.entries(all).filter(([name]) => name === 'stage' || isGiven(name))),
  );
  const placeOf = (name: string) =>
    name in file && !(name in command) ? `stages.${command.stage}.${name}` : name;
  const sentences = success
    ? contradictions(data)
    : error.issues.flatMap((issue) =>
        issue.code === 'unrecognized_keys'
          ? issue.keys.map(
              (name) => `Unknown context ${placeOf(name)}. Valid contexts: ${names.join(', ')}.`,
            )
          : `The context ${placeOf(String(issue.path[0]))} ${issue.message}.`,
      );
  if (!isFile) {
    sentences.push(
      'The context stages must be an object in cdk.json with the settings of each stage: "stages": { "prod": { "sender": "offers@your.domain" } }.',
    );
  }
  if (!isBoundary(node.tryGetContext(PERMISSIONS_BOUNDARY_CONTEXT_KEY))) {
    sentences.push(
      `The context ${PERMISSIONS_BOUNDARY_CONTEXT_KEY} must be an object with a name or an arn, in cdk.json: on the command line it is a text, which the CDK ignores.`,
    );
  }
  if (!success || sentences.length > 0) throw new SettingsError(sentences.join('\n'));
  return {
    ...settingsFrom(data),
    given: Object.fromEntries(
      names.filter(isGiven).map((name) => [name, String(data[name as keyof Context])]),
    ),
    named: Object.keys(all),
    onlyOnce: Object.keys(command).filter(
      (name) => name !== 'stage' && String(command[name]) !== String(file[name]),
    ),
  };
};

/** The settings that cdk.json has for the stage, and those of the command line. */
const readSources = (node: Node) => {
  const { stages = {}, ...command } = contextOf(node);
  const { success, data = {} } = Stages.safeParse(stages);
  const stage = String(command.stage ?? 'dev');
  return { file: (Object.hasOwn(data, stage) && data[stage]) || {}, command, isFile: success };
};

/** What a setting is given as that has no value: `null` in cdk.json, `name=` in a command. */
const isNone = (value: unknown): boolean => value === null || value === '';

const settingsFrom = (data: Context) => {
  const { sender = 'offers@example.com', throttlingRate: rate } = data;
  const keepData = keepsData(data);
  const canary = data.canary === false ? 'all-at-once' : 'canary';
  return {
    stage: data.stage,
    /** Where the stage is deployed; what is missing comes from the credentials or the command. */
    env: { account: data.account, region: data.region },
    /** Whether the data outlives the stack, which is then protected and rolled out step by step. */
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
    ...(hasFirewall(data) && {
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
    /** Where the reference is published, with a slash at its end; problems lead there. */
    referenceUrl: data.referenceUrl?.replace(/\/?$/, '/'),
    /** Whether stack traces name the sources; reading the maps makes cold starts slower. */
    sourceMaps: data.sourceMaps ?? !keepData,
    /** How new versions are released: directly, or by an alias, at once or in steps. */
    rollout: keepData ? canary : 'replace',
  } as const;
};

/** The stage prod keeps its data unless `keepData` says otherwise. */
const keepsData = ({ stage, keepData }: Pick<Context, 'stage' | 'keepData'>): boolean =>
  keepData ?? stage === 'prod';

/** Whether the CDK gives every role this boundary, or there is none. It ignores what is wrong. */
const isBoundary = (context: unknown): boolean =>
  z
    .strictObject({ name: z.string().min(1) })
    .or(z.strictObject({ arn: z.string().min(1) }))
    .optional()
    .safeParse(context).success;

const hasFirewall = (context: Context): boolean => context.firewall ?? keepsData(context);

const names = Object.keys(Context.shape);

export const isSetting = (name: string): boolean => names.includes(name);

/** What cdk.json has under `stages`. */
const Stages = z.record(
  Stage,
  z.record(z.string(), z.unknown()).refine((settings) => !('stage' in settings)),
);

/** The names without a colon or slash that the CDK and its CLI give to their own context. */
const namesOfCdk = [
  'acknowledged-issue-numbers',
  'assets-ecr-repository-name',
  'cdk-migrate',
  'cli-telemetry',
];

/** The context without the CDK's own. All other names are settings, or misspelt. */
const contextOf = (node: Node): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(node.getAllContext()).filter(
      ([name, value]) => !/[:/]/.test(name) && !namesOfCdk.includes(name) && value !== undefined,
    ),
  );

/** A sentence for each value that is valid by itself and contradicts another one. */
const contradictions = (context: Context): string[] => {
  const { sender, senderIdentity, alarmEmail, alarmTopicArn } = context;
  const keepData = keepsData(context);
  const found: [boolean, string][] = [
    [
      keepData && !sender,
      'A stage that keeps its data needs the address that offers are sent from, such as "sender": "offers@your.domain" in cdk.json.',
    ],
    [
      keepData && !alarmEmail && !alarmTopicArn,
      'A stage that keeps its data needs an alarm recipient, such as "alarmEmail": "operators@your.domain" in cdk.json, or alarmTopicArn.',
    ],
    [
      Boolean(alarmEmail && alarmTopicArn),
      'Give alarmEmail or alarmTopicArn: a topic has subscribers of its own.',
    ],
    [
      senderIdentity !== undefined && !isWithin(sender ?? '', senderIdentity),
      'The context senderIdentity must be the sender or a domain that it is in.',
    ],
    [
      Boolean(context.createSenderIdentity && !sender),
      'The context createSenderIdentity needs a sender.',
    ],
    [
      Boolean(context.domainName) !== Boolean(context.certificateArn),
      'The contexts domainName and certificateArn need each other.',
    ],
    [
      (context.requestsPerToken ?? context.requestsPerAddress) !== undefined &&
        !hasFirewall(context),
      'The contexts requestsPerToken and requestsPerAddress need the firewall.',
    ],
    [
      context.canary !== undefined && !keepData,
      'The context canary needs a stage that keeps its data: others replace their functions at once.',
    ],
  ];
  return found
    .filter(([wrong]) => wrong)
    .map(([, sentence]) => sentence)
    .concat(foreignArns(settingsFrom(context), context));
};

/**
 * A sentence for each ARN that is of no use from there. An alarm notifies topics of its region
 * (CloudWatch API Reference, "PutMetricAlarm"), a domain name has a certificate of its own (API
 * Gateway Developer Guide, "Regional custom domain name"), a rule has a queue of its region as its
 * target, and what another account sends to a queue needs an allowance that its policy does not
 * have. SNS has it.
 */
export const foreignArns = (
  { alarms, domain, recordSenders }: Pick<Settings, 'alarms' | 'domain' | 'recordSenders'>,
  { account, region }: Pick<Context, 'account' | 'region'>,
): string[] => {
  const isForeign = (arn: string) => {
    const [, , service, of, owner] = arn.split(':');
    return (of && region && of !== region) || (service !== 'sns' && account && owner !== account);
  };
  const arns = {
    alarmTopicArn: alarms.topicArn,
    certificateArn: domain?.certificateArn,
    recordSenders: recordSenders.filter((arn) => !arn.includes(':sns:')),
  };
  return Object.entries(arns).flatMap(([name, of = []]) =>
    [of]
      .flat()
      .filter(isForeign)
      .map((arn) => `The context ${name} must be of the stage's account and region: ${arn}.`),
  );
};

const hashOf = (value: string) =>
  `#${createHash('sha256').update(value).digest('hex').slice(0, 12)}`;

/**
 * The settings that were given, as an output of the stack. CloudFormation names no limit for an
 * output's value but that of an exported one, 1,024 characters: beyond it the longest are hashed.
 */
export const encodeGiven = (given: Settings['given']): string => {
  const encoded = { ...given };
  const byLength = Object.entries(given).sort(([, one], [, other]) => other.length - one.length);
  for (const [name, value] of byLength) {
    if (JSON.stringify(encoded).length > 1024) encoded[name] = hashOf(value);
  }
  return JSON.stringify(encoded);
};

/** The settings of an output, with those values that it has only as a hash taken from others. */
export const decodeGiven = (output = '{}', others: Settings['given'] = {}): Settings['given'] =>
  Object.fromEntries(
    Object.entries<string>(JSON.parse(output)).map(([name, value]) => {
      const { [name]: other = '' } = others;
      return [name, value === hashOf(other) ? other : value];
    }),
  );

/** A domain has no case; the local part of an address has one (RFC 5321, section 2.4). */
const lowerDomain = (address: string) =>
  address.replace(/[^@]*$/, (domain) => domain.toLowerCase());

const isWithin = (address: string, identity: string) => {
  const [from, of] = [address, identity].map(lowerDomain);
  return from === of || `.${from?.split('@')[1]}`.endsWith(`.${of}`);
};
