import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  DeliveryAttemptEvent,
  type Event,
  PaymentRequestEvent,
  SandboxEvent,
} from '../../functions/domain/events.ts';
import type { DescribedSchema } from './operation.ts';

/** What every event says besides what happened. */
const envelope = (of: string) => ({
  id: 'Identifier of the event: the same whenever the event comes again.',
  type: 'The type of the event.',
  version: 'Changes when a member is removed or changes its meaning. New members do not change it.',
  workspace: 'Identifier of the workspace, live or test.',
  account: 'Identifier of the account that owns the workspace.',
  time: 'When it happened, in UTC.',
  request_id: 'The Request-Id of the request that it goes back to.',
  actor:
    'Who sent that request: the id of an access token (`tok_…`), or `operator:` and a name, which may be personal data.',
  data: of,
});

/** The kinds of events, by the name of their webhook. */
const kinds: Readonly<Record<string, { summary: string; event: DescribedSchema }>> = {
  paymentRequestApproved: {
    summary: 'A payment request was approved',
    event: {
      name: 'PaymentRequestEvent',
      schema: PaymentRequestEvent,
      descriptions: {
        '': 'A manager has approved a payment request. There is one event for each approval.',
        ...envelope('The approval, and the payment request as it was approved.'),
        'data.approval': 'The approval.',
        'data.approval.id': 'Identifier of the approval.',
        'data.approval.approver': 'UUID of the manager who approved. Personal data.',
        'data.approval.reason':
          'Why the request was approved. Free text, visible to the worker. Personal data.',
        'data.approval.created': 'When it was approved, in UTC.',
        'data.payment_request': 'The payment request.',
        'data.payment_request.id': 'Identifier of the payment request.',
        'data.payment_request.worker': 'Identifier of the worker. Personal data.',
        'data.payment_request.amount':
          'A decimal number with two fractional digits. Personal data, beside the worker.',
        'data.payment_request.currency': 'ISO 4217 code.',
        'data.payment_request.status': 'The status that the approval gave it.',
      },
    },
  },
  sandboxChanged: {
    summary: 'A sandbox was created or became ready',
    event: {
      name: 'SandboxEvent',
      schema: SandboxEvent,
      descriptions: {
        '': 'A sandbox was created, or has become ready.',
        ...envelope('The sandbox as it was then.'),
      },
    },
  },
  deliveryAttemptChanged: {
    summary: 'A delivery attempt was made or ended',
    event: {
      name: 'DeliveryAttemptEvent',
      schema: DeliveryAttemptEvent,
      descriptions: {
        '': 'An offer was sent or sent again, or its mail has come to an end. A mail that was `sent` may end again as `delivered`, `bounced` or `complained`.',
        ...envelope('The delivery attempt as it was then.'),
        'data.id': 'Identifier of the delivery attempt.',
        'data.offer': 'Identifier of the offer.',
        'data.status': 'Its status then.',
        'data.reason': 'A code for why it failed or bounced.',
        'data.created': 'When it was requested, in UTC.',
      },
    },
  },
};

/** The schemas of events. */
export const eventSchemas: readonly DescribedSchema[] = Object.values(kinds).map(
  ({ event }) => event,
);

/** Recorded by `npm run openapi -- --record`: an event of each type that the demo data cause. */
export const eventExamples: readonly Event[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'event-examples.json'), 'utf8'),
);

/** `webhooks` of the document: what an HTTP endpoint is sent that gets the events of a rule. */
export const webhooks = () =>
  Object.fromEntries(
    Object.entries(kinds).map(([name, { summary, event }]) => [
      name,
      { post: describeWebhook(name, summary, event) },
    ]),
  );

const describeWebhook = (operationId: string, summary: string, event: DescribedSchema) => ({
  operationId,
  tags: ['Events'],
  summary,
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
            .filter((example) => event.schema.safeParse(example).success)
            .map((value) => [value.type, { value }]),
        ),
      },
    },
  },
  responses: {
    '2XX': { description: 'The event was received. After any other answer it is sent again.' },
  },
});
