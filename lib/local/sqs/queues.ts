import { z } from 'zod';
import { queueName } from '../aws-account.ts';
import { type ResourceShape, withoutEffect } from '../cloudformation/resource-shape.ts';
import type { TemplateReader } from '../cloudformation/template-reader.ts';
import type { QueueSettings } from './queue-service.ts';

/** The name of the queue that an ARN names. */
export const QueueArn = z
  .string()
  .startsWith('arn:aws:sqs:', { error: ({ input }) => `must be the ARN of a queue, not ${input}` })
  .transform(queueName);

const QueueProperties = z.strictObject({
  QueueName: z.string().optional(),
  VisibilityTimeout: z.number().default(30),
  /** Four days. */
  MessageRetentionPeriod: z.number().default(345_600),
  RedrivePolicy: z
    .strictObject({ deadLetterTargetArn: QueueArn, maxReceiveCount: z.number() })
    .optional(),
  SqsManagedSseEnabled: withoutEffect,
});

const queueShape: ResourceShape<z.infer<typeof QueueProperties>> = {
  type: 'AWS::SQS::Queue',
  schema: QueueProperties,
};

/** Reads the template's queues. */
export const readQueues = (reader: TemplateReader): QueueSettings[] =>
  reader.read(queueShape).map(({ name, properties }) => ({
    name,
    visibilityTimeoutMs: properties.VisibilityTimeout * 1000,
    retentionMs: properties.MessageRetentionPeriod * 1000,
    ...(properties.RedrivePolicy && {
      redrive: {
        deadLetterQueue: properties.RedrivePolicy.deadLetterTargetArn,
        maximumReceives: properties.RedrivePolicy.maxReceiveCount,
      },
    }),
  }));
