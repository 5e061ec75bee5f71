import { readRestApi } from './api-gateway/rest-api.ts';
import { functionName, queueName } from './aws-account.ts';
import type { Template } from './cloudformation/template.ts';
import { readRules } from './event-bridge/event-buses.ts';
import { compilePattern } from './event-bridge/event-pattern.ts';
import type { BatchLog } from './lambda/batch.ts';
import { maximumInstances, readFunctionSettings } from './lambda/lambda-function.ts';
import { consumeQueue } from './lambda/queue-event-source.ts';
import { consumeStream } from './lambda/stream-event-source.ts';
import { type QueueService, readQueues } from './sqs/queue-service.ts';

export type Definition = ReturnType<typeof readDefinition>;

/**
 * Reads what a template defines besides its tables, which have been read before.
 *
 * @throws Error that names everything in the template that cannot run
 */
export const readDefinition = (template: Template) => {
  const definition = {
    queues: readQueues(template),
    buses: template.read('AWS::Events::EventBus', ({ name }) => name),
    rules: readRules(template),
    restApi: readRestApi(template),
    functions: readFunctionSettings(template),
    eventSources: readEventSources(template),
    outputs: template.outputs(),
  };
  template.rejectOtherTypes();
  template.requireRunnable();
  return definition;
};

/** The services that the event sources use. */
export interface EventSourceOptions {
  readonly invoke: (functionName: string, event: unknown) => Promise<unknown>;
  readonly queues: QueueService;
  readonly dynamodbUrl: string;
  readonly onBatch: (log: BatchLog) => void;
}

/**
 * Feeds the template's functions from its queues and streams, one source for each mapping. No
 * record is given up here: the age at which that happens is nearly a day.
 */
const readEventSources = (template: Template) =>
  template.read('AWS::Lambda::EventSourceMapping', ({ properties }) => {
    const { BatchSize: batchSize, EventSourceArn, ScalingConfig } = properties;
    const name = functionName(properties.FunctionName);
    const { Filters = [] } = properties.FilterCriteria ?? {};
    const filters = Filters.map(({ Pattern }: { Pattern: string }) =>
      compilePattern(JSON.parse(Pattern)),
    );
    return ({ invoke, queues, dynamodbUrl, onBatch }: EventSourceOptions) => {
      const target = { name, invoke: (event: unknown) => invoke(name, event) };
      // Only the mapping of a stream has one.
      if (properties.StartingPosition) {
        const stream = { endpoint: dynamodbUrl, streamArn: EventSourceArn };
        return consumeStream({ ...stream, target, batchSize, filters }, onBatch);
      }
      // A batch that waited for an instance would be visible again before it is done.
      const { MaximumConcurrency = maximumInstances } = ScalingConfig ?? {};
      const maximumConcurrency = Math.min(MaximumConcurrency, maximumInstances);
      const queue = { queue: queues, queueName: queueName(EventSourceArn) };
      return consumeQueue({ ...queue, target, batchSize, maximumConcurrency }, onBatch);
    };
  });
