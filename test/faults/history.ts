import fc from 'fast-check';
import { type CallFault, errorResponse, type FaultRule } from '../support/fault-proxy.ts';
import type { FaultyService } from '../support/faulty-service.ts';

export const services = ['dynamodb', 'sqs', 'ses', 'eventbridge'] as const;

/** What a client does: ask for an operation, maybe with a key that others use too, maybe often. */
export interface ClientStep {
  readonly tenant: 0 | 1;
  readonly operation: 'resend' | 'approve' | 'create';
  /** Which of the tenant's two offers or payment requests. */
  readonly target: 0 | 1;
  /** An intent's key; steps with the same tenant, operation, target and key are one intent. */
  readonly key: number | null;
  /** How often the client asks again after no response, 409 or 5xx. */
  readonly retries: number;
  readonly startAfterMs: number;
}

/** A record that a tenant's own system sends of one of its payment requests. */
export interface RecordStep extends Pick<ClientStep, 'tenant' | 'target' | 'startAfterMs'> {
  readonly version: 1 | 2;
  readonly status: 'pending' | 'cancelled';
  /** A sender that does not count uses a version twice, with another note. */
  readonly note: '' | 'Other';
}

/**
 * What the readers of the stream send to. They try for hours; a message that a consumer fails to
 * take five times becomes a dead letter, as it should.
 */
export const fromStream: readonly PlannedFault['service'][] = ['sqs', 'eventbridge'];

/** What goes wrong with calls to an operation of a service, from the `call`th on. */
export interface PlannedFault {
  readonly service: (typeof services)[number];
  readonly operation: string;
  readonly call: number;
  /**
   * With how many in a row. The SDK tries three times, and two requests at once take turns: six are
   * all of theirs.
   */
  readonly lasts: number;
  readonly kind: CallFault['kind'];
  readonly type?: string;
  readonly victim: string;
}

export interface History {
  readonly steps: readonly ClientStep[];
  readonly records?: readonly RecordStep[];
  readonly faults: readonly PlannedFault[];
}

const step: fc.Arbitrary<ClientStep> = fc.record({
  tenant: fc.constantFrom(0, 1),
  operation: fc.constantFrom('resend', 'approve', 'create'),
  target: fc.constantFrom(0, 1),
  key: fc.option(fc.nat({ max: 2 }), { freq: 3 }),
  retries: fc.nat({ max: 2 }),
  startAfterMs: fc.nat({ max: 60 }),
});

const record: fc.Arbitrary<RecordStep> = fc.record({
  tenant: fc.constantFrom(0, 1),
  target: fc.constantFrom(0, 1),
  version: fc.constantFrom(1, 2),
  status: fc.constantFrom('pending', 'cancelled'),
  note: fc.constantFrom('', 'Other'),
  startAfterMs: fc.nat({ max: 60 }),
});

const victims = [
  'ResendOffer',
  'ApprovePaymentRequest',
  'CreateSandbox',
  'Outbox',
  'Provisioning',
  'Delivery',
  'EventsPublisher',
  'Import',
];

const kinds = fc.oneof(
  fc
    .constantFrom('reset', 'loseResponse', 'twice', 'killBefore', 'killAfter')
    .map((kind) => ({ kind })),
  fc.constant({ kind: 'delayResponse' }),
);

const refusals = {
  dynamodb: [
    'ThrottlingException',
    'ProvisionedThroughputExceededException',
    'InternalServerError',
    'TransactionCanceledException:TransactionConflict',
    'TransactionCanceledException:ThrottlingError',
  ],
  sqs: ['ThrottlingException'],
  ses: ['TooManyRequestsException', 'LimitExceededException', 'MessageRejected'],
  eventbridge: ['ThrottlingException', 'InternalException'],
} as const;

const awsCalls = {
  dynamodb: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems'],
  sqs: ['SendMessageBatch'],
  ses: ['SendEmail'],
  eventbridge: ['PutEvents'],
} as const;

const refusal = fc.constant({ kind: 'refuseEntry' });

const faultOf = (service: PlannedFault['service']): fc.Arbitrary<PlannedFault> =>
  fc
    .record({
      operation: fc.constantFrom(...awsCalls[service]),
      call: fc.integer({ min: 1, max: 8 }),
      lasts: fc.constantFrom(1, ...(fromStream.includes(service) ? [1, 6] : [])),
      victim: fc.constantFrom(...victims),
      what: fc.oneof(
        kinds,
        fc.constantFrom(...refusals[service]).map((type) => ({ kind: 'response', type })),
        // Only this is not tried again by the SDK itself.
        ...(service === 'eventbridge' ? [refusal, refusal, refusal] : []),
      ),
    })
    .map(({ what, operation, ...rest }) => {
      const fault = { service, operation, ...rest, ...what } as PlannedFault;
      // Only a transaction can be cancelled.
      return fault.type?.includes(':') ? { ...fault, operation: 'TransactWriteItems' } : fault;
    });

export const history: fc.Arbitrary<History> = fc.record({
  steps: fc.array(step, { minLength: 3, maxLength: 24 }),
  records: fc.array(record, { maxLength: 6 }),
  faults: fc.array(
    fc.oneof(
      { weight: 4, arbitrary: faultOf('dynamodb') },
      { weight: 1, arbitrary: faultOf('sqs') },
      { weight: 1, arbitrary: faultOf('ses') },
      { weight: 2, arbitrary: faultOf('eventbridge') },
    ),
    { maxLength: 14 },
  ),
});

/** A planned fault as a rule of a proxy. */
export const ruleOf = (
  { operation, call, lasts, kind, type = '', victim }: PlannedFault,
  service: FaultyService,
): FaultRule => {
  const kill = () => service.lambda(victim).killBusyInstances();
  const what = kind === 'response' ? errorResponse(type) : { kind, kill };
  const fault = { ...what, delayMs: 300 } as CallFault;
  const calls = Array.from({ length: lasts }, (_, index) => call + index);
  return { operation, calls, fault };
};
