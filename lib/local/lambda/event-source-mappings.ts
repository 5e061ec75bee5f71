import { z } from 'zod';
import { functionName } from '../aws-account.ts';
import { labelsOf } from '../cloudformation/resource-names.ts';
import type { ResourceShape } from '../cloudformation/resource-shape.ts';
import type { Resource, TemplateReader } from '../cloudformation/template-reader.ts';
import { compilePattern } from '../event-bridge/event-pattern.ts';
import type { QueueService } from '../sqs/queue-service.ts';
import { QueueArn } from '../sqs/queues.ts';
import type { BatchLog } from './batch.ts';
import { failureRecord } from './failure-record.ts';
import { consumeQueue } from './queue-event-source.ts';
import type { StreamCheckpoints } from './stream-checkpoints.ts';
import { consumeStream } from './stream-event-source.ts';

const common = {
  FunctionName: z.string().transform(functionName),
  BatchSize: z.number(),
  FunctionResponseTypes: z.tuple([z.literal('ReportBatchItemFailures')]),
};

const QueueMapping = z.strictObject({
  ...common,
  StartingPosition: z.undefined().optional(),
  EventSourceArn: QueueArn,
  ScalingConfig: z.strictObject({ MaximumConcurrency: z.number() }).optional(),
});

const StreamMapping = z.strictObject({
  ...common,
  StartingPosition: z.literal('TRIM_HORIZON'),
  EventSourceArn: z.string().regex(/^arn:aws:dynamodb:.*\/stream\//, {
    error: ({ input }) => `must be the ARN of a table's stream, not ${input}`,
  }),
  FilterCriteria: z.strictObject({ Filters: z.array(z.strictObject({ Pattern: z.string() })) }),
  BisectBatchOnFunctionError: z.literal(true),
  MaximumRecordAgeInSeconds: z.number(),
  DestinationConfig: z.strictObject({ OnFailure: z.strictObject({ Destination: QueueArn }) }),
});

/** Only the mapping of a stream has a starting position. */
const MappingProperties = z.discriminatedUnion('StartingPosition', [QueueMapping, StreamMapping]);

type MappingProperties = z.infer<typeof MappingProperties>;

const mappingShape: ResourceShape<MappingProperties> = {
  type: 'AWS::Lambda::EventSourceMapping',
  schema: MappingProperties,
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
  reader: TemplateReader,
): ((options: EventSourceOptions) => EventSource)[] => {
  const known = labelsOf(reader.template);
  const requireKnown = (name: string) => {
    if (!known.has(name)) throw new Error(`names ${name}, which is not in the template`);
  };
  return reader.make(mappingShape, (mapping) => {
    const { properties } = mapping;
    requireKnown(properties.FunctionName);
    if (properties.StartingPosition)
      requireKnown(properties.DestinationConfig.OnFailure.Destination);
    return readEventSource(mapping);
  });
};

const readEventSource = ({
  logicalId,
  properties,
}: Resource<MappingProperties>): ((options: EventSourceOptions) => EventSource) => {
  const { FunctionName: name, BatchSize: batchSize } = properties;
  const target = ({ invoke }: EventSourceOptions) => ({
    name,
    invoke: (event: unknown) => invoke(name, event),
  });
  if (properties.StartingPosition === undefined) {
    const { EventSourceArn, ScalingConfig } = properties;
    return (options) =>
      consumeQueue(
        {
          target: target(options),
          batchSize,
          queue: options.queues,
          queueName: EventSourceArn,
          retryDelayMs: options.retryDelayMs,
          maximumConcurrency: ScalingConfig?.MaximumConcurrency ?? defaultConcurrency,
        },
        options.onBatch,
      );
  }
  const { EventSourceArn, FilterCriteria, MaximumRecordAgeInSeconds } = properties;
  const { Destination } = properties.DestinationConfig.OnFailure;
  const filters = FilterCriteria.Filters.map(({ Pattern }) => compilePattern(JSON.parse(Pattern)));
  return (options) =>
    consumeStream(
      {
        target: target(options),
        batchSize,
        endpoint: options.dynamodbUrl,
        streamArn: EventSourceArn,
        filters,
        maximumRecordAgeMs: MaximumRecordAgeInSeconds * 1000,
        onGivenUp: (givenUp) =>
          options.queues.send(Destination, { body: JSON.stringify(failureRecord(givenUp)) }),
        checkpoint: options.checkpoints.of(logicalId),
      },
      options.onBatch,
    );
};
