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

const yesOrNo = z.boolean('must be true or false, without quotes');

const senderArn =
  /^arn:aws[a-z-]*:(iam::\d{12}:(role|user)\/[\w+=.@/-]+|sns:[a-z0-9-]+:\d{12}:[\w-]+|events:[a-z0-9-]+:\d{12}:rule\/[\w./-]+)$/;

/**
 * A role or a user, or the role of a permission set of IAM Identity Center, whose name ends in 16
 * characters that change (IAM Identity Center User Guide, "Referencing permission sets in resource
 * policies, Amazon EKS, and AWS KMS").
 */
const operatorArn =
  /^arn:aws[a-z-]*:iam::\d{12}:((role|user)\/[\w+=,.@/-]+|role\/aws-reserved\/sso\.amazonaws\.com\/([a-z0-9-]+\/)?AWSReservedSSO_[\w+=,.@-]+_\?{16})$/;

/** Whether AWS has this region, as far as the installed CDK knows. */
const isRegion = (name: unknown): boolean =>
  RegionInfo.regions.some((region) => region.name === name);

/** What bin/stages.ts can set for a stage. Editors show these comments there. */
export const StageSettings = z.strictObject(
  {
    /**
     * Whether the table and the logs are retained and protected. New versions are then canaries,
     * and `account`, `region`, `sender`, `operators` and a recipient of alarms are required. In a
     * stage that does not keep its data, `cdk destroy` deletes all but an imported table and SES's
     * identity. A change to `false` deletes nothing by itself, and no stack policy prevents it.
     */
    keepData: yesOrNo,
    /**
     * The AWS account of the stage. Credentials of another account are refused.
     *
     * @default that of the credentials
     * @example '123456789012'
     */
    account: text(/^\d{12}$/, 'must be the 12 digits of an AWS account, in quotes').optional(),
    /**
     * The AWS region of the stage.
     *
     * @default that of the command
     * @example 'eu-central-1'
     */
    region: z
      .string('must be an AWS region')
      .refine(isRegion, 'must be an AWS region that the installed version of the CDK knows')
      .optional(),
    /**
     * The sender of offers. Without it no mail is sent.
     *
     * @default 'offers@example.com'
     * @example 'offers@your.domain'
     */
    sender: valid(EmailAddress, 'must be the e-mail address that offers are sent from').optional(),
    /**
     * What SES verifies: the sender, or a domain that it is in. The mail of a verified address may
     * fail DMARC.
     *
     * @default the sender
     * @example 'your.domain'
     */
    senderIdentity: z
      .union([EmailAddress, Domain], 'must be the sender or a domain that it is in, in lower case')
      .optional(),
    /**
     * Whether the stack creates that identity: `false` when it exists, as for a second stage.
     *
     * @default true with `sender`
     */
    createSenderIdentity: yesOrNo.optional(),
    /**
     * Where replies to offers go.
     *
     * @default the sender
     * @example 'people@your.domain'
     */
    replyTo: valid(
      EmailAddress,
      'must be the e-mail address that replies to offers go to',
    ).optional(),
    /**
     * Where a recipient reads an offer: a link in the mail.
     *
     * @default none
     * @example 'https://app.your.domain/offers/{id}'
     */
    offerUrl: text(
      /^https:\/\/[^\s{}]+\{id\}[^\s{}]*$/,
      'must be the address of an offer, with {id}, such as https://app.your.domain/offers/{id}',
    ).optional(),
    /**
     * The ARNs of the roles, users, SNS topics and EventBridge rules that may send records
     * (lib/RECORDS.md).
     *
     * @default none
     * @example ['arn:aws:iam::123456789012:role/payroll']
     */
    recordSenders: z
      .array(
        text(senderArn, 'must be the ARN of a role, a user, an SNS topic or an EventBridge rule'),
        'must be ARNs in brackets',
      )
      .default([]),
    /**
     * The ARNs of the roles and users of the stage's account that may assume the operators' role.
     * For a permission set of IAM Identity Center, `?` stands for each of the 16 characters at the
     * end of its role; in us-east-1 the path has no region.
     *
     * @default every role and user whose own policies allow it
     * @example
     * ['arn:aws:iam::123456789012:role/aws-reserved/sso.amazonaws.com/eu-central-1/' +
     *   'AWSReservedSSO_PaymentsOperators_????????????????']
     */
    operators: z
      .array(
        text(
          operatorArn,
          'must be the ARN of a role or a user; only the 16 characters after the name of a permission set may be ?',
        ),
        'must be ARNs in brackets',
      )
      .min(1, 'must have an ARN')
      .optional(),
    /**
     * The recipient of alarms. Its subscription has to be confirmed (lib/DEPLOY.md).
     *
     * @default none
     * @example 'operators@your.domain'
     */
    alarmEmail: valid(EmailAddress, 'must be an e-mail address').optional(),
    /**
     * An SNS topic of the stage's region, in place of `alarmEmail`. In another account, its policy
     * must let `cloudwatch.amazonaws.com` publish. Encrypted with `aws/sns`, it gets nothing.
     *
     * @default none
     * @example 'arn:aws:sns:eu-central-1:123456789012:operators'
     */
    alarmTopicArn: text(
      /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]+$/,
      'must be the ARN of an SNS topic',
    ).optional(),
    /**
     * Your domain for the API. Point it at the output `DomainTarget`. API Gateway's own, the output
     * `ApiGatewayUrl`, stays in service. The stack policy refuses a change.
     *
     * @default API Gateway's
     * @example 'api.your.domain'
     */
    domainName: valid(Domain, 'must be a domain in lower case, such as api.your.domain').optional(),
    /**
     * The certificate of `domainName` in ACM, of the same account and region.
     *
     * @default none
     * @example 'arn:aws:acm:eu-central-1:123456789012:certificate/1b2c-3d4e'
     */
    certificateArn: text(
      /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
      'must be the ARN of a certificate in ACM',
    ).optional(),
    /**
     * The oldest version of TLS that the API accepts.
     *
     * @default '1.3'
     * @example '1.2'
     */
    tls: z
      .enum(['1.2', '1.3'], "must be '1.3', or '1.2' for 1.2 and 1.3, in quotes")
      .default('1.3'),
    /**
     * Whether AWS WAF filters requests, with AWS's common rules and its list of bad addresses.
     *
     * @default the value of `keepData`
     */
    firewall: yesOrNo.optional(),
    /**
     * The firewall's limit for a token, as requests in five minutes (AWS WAF's limits for a
     * rate-based rule).
     *
     * @default 30 times `throttlingRate`
     * @example 5000
     */
    requestsPerToken: wholeNumber(10, 2_000_000_000).optional(),
    /**
     * The firewall's limit for an address, as requests in five minutes. The systems of a company
     * may share an address, each with a token of its own. Five addresses with invented tokens use
     * up a method: lower the limit to what an address of yours needs.
     *
     * @default 60 times `throttlingRate`
     * @example 10_000
     */
    requestsPerAddress: wholeNumber(10, 2_000_000_000).optional(),
    /**
     * Requests per second for each method. API Gateway's quota for an account is 10,000.
     *
     * @default 500
     */
    throttlingRate: wholeNumber(1, 10_000).default(500),
    /**
     * The most requests at one moment for each method. API Gateway's quota for an account is 5,000.
     *
     * @default 1000
     */
    throttlingBurst: wholeNumber(1, 5000).default(1000),
    /**
     * The instances of each function that responds to requests: kept free for it, and the most that
     * it may use. Leave 100 of the account's unreserved.
     *
     * @default the account's pool
     * @example 20
     */
    reservedConcurrency: wholeNumber(1, 1000).optional(),
    /**
     * How many mails are sent at once: at most a quarter of SES's sending rate. Lambda's least is 2
     * (Lambda Developer Guide, "Configuring scaling behavior for SQS event source mappings").
     *
     * @default 2
     * @example 5
     */
    mailsAtOnce: wholeNumber(2, 1000).default(2),
    /**
     * `false` gives a new version of what responds to requests all of them at once.
     *
     * @default true with `keepData`
     */
    canary: yesOrNo.optional(),
    /**
     * Whether stack traces name source lines. Reading the maps makes cold starts slower.
     *
     * @default the opposite of `keepData`
     */
    sourceMaps: yesOrNo.optional(),
    /**
     * The name of an imported table (lib/RESTORE.md), in place of the one that the stack creates.
     * Never take it out again: the stack would create an empty table.
     *
     * @default created by the stack
     * @example 'WorkforcePayments-prod-20261101T101500'
     */
    table: text(
      // DynamoDB Developer Guide, "Supported data types and naming rules".
      /^[\w.-]{3,255}$/,
      'must be the name of a table: 3 to 255 letters, digits, _, . or -',
    ).optional(),
    /**
     * The days that logs are kept: one of the retention periods of CloudWatch Logs.
     *
     * @default 7, with `keepData` 365
     * @example 90
     */
    logRetentionDays: number(
      // A log group whose retention is INFINITE never deletes its logs (lib/DATA.md).
      (days) => days in RetentionDays && days !== RetentionDays.INFINITE,
      'must be a number of days that CloudWatch Logs accepts, without quotes',
    ).optional(),
    /**
     * The name of an IAM policy that bounds the permissions of every role of the stage, and of API
     * Gateway's log role in its account and region.
     *
     * @default none
     * @example 'team-boundary'
     */
    permissionsBoundary: text(
      /^[\w+=,.@/-]{1,128}$/,
      'must be the name of an IAM policy',
    ).optional(),
  },
  'must be an object, such as { keepData: false }',
);

/** The settings of a stage, as bin/stages.ts has them. */
export type StageSettings = z.input<typeof StageSettings>;

/** Every stage, by its name: up to 31 lower-case letters, digits and hyphens, a letter first. */
export type Stages = Readonly<Record<string, StageSettings>>;
