import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonDescription } from '../../functions/contract/objects.ts';
import type { DescribedSchema } from '../../functions/contract/operation.ts';
import { type Event, eventTable } from '../../functions/domain/events.ts';

export const eventTag = {
  Events: `Committed changes are published as events on an Amazon EventBridge bus of the installation. Its operator can send them to an HTTP endpoint.

- **At least once**: an event may be repeated. Ignore an \`id\` that you have processed.
- **In any order**: compare \`time\`, and the status in \`data\`.
- **For every committed effect, and each refused record**: an event arrives within seconds, or later after an outage.
- Ignore unknown types and members.`,
} as const;

const envelope = (of: string) => ({
  id: 'Identifier of the event. A repeated event has the same one.',
  type: 'The type of the event.',
  version: 'Changes when a member is removed or changes its meaning. New members do not change it.',
  workspace: 'Identifier of the workspace, live or test.',
  account: 'Identifier of the account that owns the workspace.',
  livemode:
    'Whether it happened in a live workspace. `false` in a test workspace: a consumer that pays ignores it.',
  time: 'When it happened, in UTC.',
  request_id:
    'The `Request-Id` of the request that caused the event, the `run_…` of a command of operators, or the id of the message of a record.',
  actor:
    'Who sent that request: the id of an access token (`tok_…`), or `operator:` or `sender:` and a name, which may be personal data.',
  data: of,
});

const paymentRequest = {
  'data.payment_request': 'The payment request.',
  'data.payment_request.id': 'Identifier of the payment request.',
  'data.payment_request.worker': 'Identifier of the worker. Personal data.',
  'data.payment_request.amount':
    'A decimal number with two fractional digits. Personal data, beside the worker.',
  'data.payment_request.currency': 'ISO 4217 code.',
};

type Kind = keyof typeof eventTable;

/** The webhook of each kind of events, and what it says of their members. */
const kinds: Readonly<
  Record<Kind, Omit<DescribedSchema, 'name' | 'schema'> & { operationId: string; summary: string }>
> = {
  PaymentRequestEvent: {
    operationId: 'paymentRequestApproved',
    summary: 'A payment request was approved',
    descriptions: {
      '': 'A manager has approved a payment request. There is one event for each approval.',
      ...envelope('The approval, and the payment request as it was approved.'),
      'data.approval': 'The approval.',
      'data.approval.id': 'Identifier of the approval.',
      'data.approval.record_version':
        'The version of the record that was approved; 0 if none was sent. Absent where a later version differs in `worker`, `amount` or `currency` from what was approved before.',
      'data.approval.approver': 'UUID of the manager who approved. Personal data.',
      'data.approval.reason':
        'Why the request was approved. Free text, visible to the worker. Personal data.',
      'data.approval.created': 'When it was approved, in UTC.',
      'data.approval.previous_status':
        'The status that was approved. A consumer pays what was `draft` or `pending`. An `approved` request has had another event. A person decides about any other status.',
      ...paymentRequest,
      'data.payment_request.status': 'The status that the approval gave it.',
    },
  },
  PaymentRequestEndedEvent: {
    operationId: 'paymentRequestEnded',
    summary: 'An approved payment request was ended',
    descriptions: {
      '': 'A record has rejected or cancelled an approved payment request, or says that it was paid. The event may arrive before that of the approval: compare `time`.',
      ...envelope('The payment request as it was approved, and how it ended.'),
      'data.record_version': 'The version of the record that ended it.',
      ...paymentRequest,
      'data.payment_request.status': 'The status that the record gave it.',
    },
  },
  SandboxEvent: {
    operationId: 'sandboxChanged',
    summary: 'A sandbox was created or became ready',
    descriptions: {
      '': 'A sandbox was created, or has become ready.',
      ...envelope('The sandbox at that time.'),
    },
  },
  DeliveryAttemptEvent: {
    operationId: 'deliveryAttemptChanged',
    summary: 'A delivery attempt was created or ended',
    descriptions: {
      '': 'An offer was sent or sent again, or the delivery of its mail has ended. A `sent` attempt can later become `delivered`, `bounced` or `complained`.',
      ...envelope('The delivery attempt at that time.'),
      'data.id': 'Identifier of the delivery attempt.',
      'data.offer': 'Identifier of the offer.',
      'data.status': 'Its status at that time.',
      'data.reason': reasonDescription,
      'data.created': 'When it was requested, in UTC.',
    },
  },
  RefusalEvent: {
    operationId: 'recordRefused',
    summary: 'A record was refused',
    descriptions: {
      '': 'A record that a system of the company has sent was refused. Correct it, and send it with a higher version. There is no event of a message without a workspace that exists, or of an id that belongs to another workspace.',
      ...envelope('The record, and what is wrong with it.'),
      'data.kind': 'What the message has. Absent if it has neither, or both.',
      'data.record': 'Identifier of the payment request or offer, if it is valid.',
      'data.version': 'Version of the record, if it is valid.',
      'data.faults': 'What is wrong: the first 20 faults.',
      'data.faults.member':
        'Member of the message, such as `payment_request.amount`. Absent for the message as a whole, or if the schema does not have it.',
      'data.faults.code': 'Stable, for machines.',
      'data.faults.detail': 'A sentence for people, without a value. It may change.',
      'data.faults.count': 'How often the member has this fault.',
      'data.more': 'How many more faults there are.',
    },
  },
  RedactionEvent: {
    operationId: 'personalDataRedacted',
    summary: 'Personal data was redacted',
    descriptions: {
      '': 'An operator has redacted the personal data of payment requests, with the reasons of their approvals, and of offers. Delete your copies of them.',
      ...envelope('The redaction.'),
      'data.id': 'Identifier of the redaction.',
      'data.ids': 'Identifiers of the payment requests and offers: 100 at most.',
      'data.created': 'When it began, in UTC.',
    },
  },
};

/** The schemas of events, each with its webhook. */
export const eventSchemas = (Object.keys(kinds) as Kind[]).map((name) => ({
  ...{ name, ...eventTable[name], ...kinds[name] },
}));

/** Recorded by `npm run openapi -- --record`: an event of each type that the demo data cause. */
export const eventExamples: readonly Event[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'event-examples.json'), 'utf8'),
);

/** `webhooks` of the document: the requests to an HTTP endpoint that gets the events of a rule. */
export const webhooks = () =>
  Object.fromEntries(eventSchemas.map((event) => [event.operationId, { post: describe(event) }]));

const describe = (event: (typeof eventSchemas)[number]) => ({
  operationId: event.operationId,
  tags: ['Events'],
  summary: event.summary,
  description: event.descriptions[''],
  // The operator of the installation chooses how its requests are authenticated.
  security: [],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${event.name}` },
        examples: Object.fromEntries(
          eventExamples
            .filter(({ type }) => type in event.rows)
            .map((value) => [value.type, { value }]),
        ),
      },
    },
  },
  responses: {
    '2XX': { description: 'The event was received. After any other response it is sent again.' },
  },
});
