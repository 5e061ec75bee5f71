import { z } from 'zod';
import { compilePattern } from '../event-pattern.ts';
import { functionName } from '../lambda/functions.ts';
import type { QueueService } from '../sqs/queue-service.ts';
import { queueName } from '../sqs/queues.ts';
import type { ResourceShape } from '../template/honoured.ts';
import type { Resource, Template } from '../template/template.ts';
import type { BatchLog, InvocationTarget } from './event-source.ts';
import { failureRecord } from './failure-record.ts';
import { consumeQueue } from './queue-event-source.ts';
import type { StreamCheckpoints } from './stream-checkpoints.ts';
import { consumeStream, type StreamEventSource } from './stream-event-source.ts';

// Defaults are from "CreateEventSourceMapping" in the Lambda API reference.
const MappingProperties = z.object({
  EventSourceArn: z.string(),
  FunctionName: z.string().transform(functionName),
  Enabled: z.boolean().default(true),
  BatchSize: z.number().optional(),
  MaximumBatchingWindowInSeconds: z.number().default(0),
  FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
  FilterCriteria: z
    .object({ Filters: z.array(z.object({ Pattern: z.string() })) })
    .default({ Filters: [] }),
  ScalingConfig: z.object({ MaximumConcurrency: z.number() }).optional(),
  StartingPosition: z.enum(['TRIM_HORIZON', 'LATEST']).optional(),
  BisectBatchOnFunctionError: z.boolean().default(false),
  MaximumRetryAttempts: z.number().default(-1),
  MaximumRecordAgeInSeconds: z
    .number()
    .default(-1)
    .transform((seconds) => (seconds === -1 ? Number.POSITIVE_INFINITY : seconds)),
  DestinationConfig: z
    .object({
      OnFailure: z.object({
        Destination: z
          .string()
          .startsWith('arn:aws:sqs:', {
            error: ({ input }) => `must be the ARN of a queue, not ${input}`,
          })
          .transform(queueName),
      }),
    })
    .optional(),
  // The local run supports one batch of a shard at a time. Other values are dropped, and so
  // reported.
  ParallelizationFactor: z.literal(1).optional().catch(undefined),
});

type MappingProperties = z.infer<typeof MappingProperties>;

const mappingShape: ResourceShape<MappingProperties> = {
  type: 'AWS::Lambda::EventSourceMapping',
  honoured: MappingProperties,
  withoutEffect: ['KmsKeyArn', 'MetricsConfig', 'Tags'],
};

/** Lambda starts with five concurrent batches ("Configuring scaling behavior for SQS"). */
const defaultConcurrency = 5;

/** The services that the event sources use. */
export interface EventSourceOptions {
  readonly invoke: (functionName: string, event: unknown) => Promise<unknown>;
  readonly queues: QueueService;
  readonly retryDelayMs: number | undefined;
  readonly dynamodbUrl: string;
  readonly checkpoints: StreamCheckpoints;
  readonly onBatch: (log: BatchLog) => void;
}

/** A queue or stream that feeds a function. */
export interface EventSource {
  /** Resolves when the batches under way have ended. Stopping the functions ends them sooner. */
  readonly stop: () => Promise<void>;
}

/** Feeds the template's functions from its queues and streams, one source for each mapping. */
export const readEventSources = (
  template: Template,
): ((options: EventSourceOptions) => EventSource)[] => {
  const known = template.labels();
  return template
    .make(mappingShape, (mapping) => {
      const { FunctionName, DestinationConfig, Enabled } = mapping.properties;
      const names = [FunctionName, DestinationConfig?.OnFailure.Destination ?? FunctionName];
      const unknown = names.find((name) => !known.has(name));
      if (unknown) throw new Error(`names ${unknown}, which is not in the template`);
      const start = readEventSource(mapping);
      return Enabled ? [start] : [];
    })
    .flat();
};

const readEventSource = ({
  logicalId,
  properties,
}: Resource<MappingProperties>): ((options: EventSourceOptions) => EventSource) => {
  const name = properties.FunctionName;
  const common = {
    batchingWindowMs: properties.MaximumBatchingWindowInSeconds * 1000,
    reportBatchItemFailures: properties.FunctionResponseTypes.length > 0,
    filters: properties.FilterCriteria.Filters.map(({ Pattern }) =>
      compilePattern(JSON.parse(Pattern)),
    ),
  };
  const target = ({ invoke }: EventSourceOptions): InvocationTarget => ({
    name,
    invoke: (event) => invoke(name, event),
  });
  const arn = properties.EventSourceArn;
  switch (arn.split(':')[2]) {
    case 'sqs':
      return (options) =>
        consumeQueue(
          {
            ...common,
            target: target(options),
            queue: options.queues,
            queueName: queueName(arn),
            retryDelayMs: options.retryDelayMs,
            batchSize: properties.BatchSize ?? 10,
            maximumConcurrency: properties.ScalingConfig?.MaximumConcurrency ?? defaultConcurrency,
          },
          options.onBatch,
        );
    case 'dynamodb':
      return (options) =>
        consumeStream(
          {
            ...common,
            target: target(options),
            endpoint: options.dynamodbUrl,
            streamArn: arn,
            batchSize: properties.BatchSize ?? 100,
            bisectBatchOnFunctionError: properties.BisectBatchOnFunctionError,
            maximumRetryAttempts: properties.MaximumRetryAttempts,
            maximumRecordAgeMs: properties.MaximumRecordAgeInSeconds * 1000,
            ...onGivenUp(properties, options.queues),
            startingPosition: properties.StartingPosition ?? 'TRIM_HORIZON',
            checkpoint: options.checkpoints.of(logicalId),
          },
          options.onBatch,
        );
    default:
      throw new Error(
        `EventSourceArn must be the ARN of a queue or of a table's stream, not ${arn}`,
      );
  }
};

/** Sends a failure record to the mapping's on-failure destination, if it has one. */
const onGivenUp = (
  { DestinationConfig }: MappingProperties,
  queues: QueueService,
): Pick<StreamEventSource, 'onGivenUp'> => {
  if (DestinationConfig === undefined) return {};
  const { Destination } = DestinationConfig.OnFailure;
  return {
    onGivenUp: (givenUp) =>
      queues.send(Destination, { body: JSON.stringify(failureRecord(givenUp)) }),
  };
};
