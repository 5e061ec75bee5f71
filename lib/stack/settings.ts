import { type Environment, PermissionsBoundary, RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type * as z from 'zod';
import { StageSettings, type Stages } from './stage-settings.ts';

type ParsedSettings = z.output<typeof StageSettings>;

export type Settings = Readonly<ReturnType<typeof settingsFrom>>;

/** A setting is wrong; the message says which, and what it may be. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** @throws SettingsError with the sentences; a `true` among them is none */
export const refuse = (sentences: readonly (string | true)[]): void => {
  const wrong = sentences.filter((sentence) => sentence !== true);
  if (wrong.length > 0) throw new SettingsError(wrong.join('\n'));
};

/**
 * Validates every stage.
 *
 * @throws SettingsError a sentence about each setting of a stage that is wrong
 */
export const readStages = (stages: Stages): Settings[] => {
  const all = Object.entries(stages).map(([stage, settings]) => readSettings(stage, settings));
  const boundaryOf = (stage: string) => stages[stage]?.permissionsBoundary;
  // The credentials or the command may name the same account and region.
  const mayEqual = (one = '', other = '') => !one || !other || one === other;
  refuse(
    all.map(
      ({ stage, env: { account, region } }) =>
        all
          .filter(({ env }) => mayEqual(env.account, account) && mayEqual(env.region, region))
          .every((other) => boundaryOf(other.stage) === boundaryOf(stage)) ||
        `stages.${stage} needs the permissionsBoundary of the other stages of its account and region: they share API Gateway's log role.`,
    ),
  );
  return all;
};

/**
 * Validates the settings of a stage.
 *
 * @throws SettingsError a sentence about each one that is wrong
 */
export const readSettings = (stage: string, inFile: StageSettings): Settings => {
  const place = `stages.${stage}`;
  refuse([
    /^[a-z][a-z0-9-]{0,30}$/.test(stage) ||
      `The name of a stage has up to 31 lower-case letters, digits and hyphens, a letter first: "${stage}" has not.`,
  ]);
  const { success, data, error } = StageSettings.safeParse(inFile);
  if (!success) {
    const sentences = error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map(
            (name) => `Unknown setting ${place}.${name}. Valid settings: ${names.join(', ')}.`,
          )
        : `${[place, ...issue.path].join('.')} ${issue.message}.`,
    );
    throw new SettingsError(sentences.join('\n'));
  }
  const settings = settingsFrom(stage, data);
  refuse(contradictions(data, settings).map((each) => each === true || `${place}: ${each}`));
  return settings;
};

const settingsFrom = (stage: string, data: ParsedSettings) => {
  const { sender = 'offers@example.com', throttlingRate: rate } = data;
  const { keepData, firewall = keepData } = data;
  const canary = data.canary === false ? 'all-at-once' : 'canary';
  return {
    stage,
    /** Where the stage is deployed; what is missing comes from the credentials or the command. */
    env: { account: data.account, region: data.region } as Environment,
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
    recordSenders: data.recordSenders,
    /** Who may assume the operators' role; all that the account allows to, unless given. */
    operators: data.operators,
    /** The policy that bounds every role. */
    ...(data.permissionsBoundary && {
      permissionsBoundary: PermissionsBoundary.fromName(data.permissionsBoundary),
    }),
    /** Whether stack traces name the sources; reading the maps makes cold starts slower. */
    sourceMaps: data.sourceMaps ?? !keepData,
    /** How new versions are released: directly, or by an alias, at once or in steps. */
    rollout: keepData ? canary : 'replace',
  } as const;
};

const names = Object.keys(StageSettings.shape);

/** What a stage that keeps its data must have. */
const required = ['account', 'region', 'sender', 'operators'] as const;

/** True, or a sentence where a value that is valid by itself contradicts another one. */
const contradictions = (data: ParsedSettings, { keepData, firewall }: Settings) => {
  const { sender, senderIdentity, alarmEmail, alarmTopicArn } = data;
  return [
    ...required.map(
      (name) =>
        !keepData ||
        data[name] !== undefined ||
        `A stage that keeps its data needs the setting ${name}.`,
    ),
    !keepData ||
      (alarmEmail ?? alarmTopicArn) !== undefined ||
      'A stage that keeps its data needs an alarm recipient: alarmEmail or alarmTopicArn.',
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
const foreignArns = ({ account, region, ...settings }: ParsedSettings): string[] => {
  const isForeign = (arn: string) => {
    const [, , service, of, owner] = arn.split(':');
    return (of && region && of !== region) || (service !== 'sns' && account && owner !== account);
  };
  const arns = [
    ['alarmTopicArn', settings.alarmTopicArn],
    ['certificateArn', settings.certificateArn],
    ...(settings.operators ?? []).map((arn) => ['operators', arn]),
    ...settings.recordSenders
      .filter((arn) => !arn.includes(':sns:'))
      .map((arn) => ['recordSenders', arn]),
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
