import { z } from 'zod';
import { type ResourceShape, withoutEffect } from '../cloudformation/resource-shape.ts';
import type { Template } from '../cloudformation/template.ts';
import type { QueueService } from './queue-service.ts';
import { queueUrl } from './sqs-wire.ts';

/** The name of the queue that an ARN names. */
export const QueueArn = z
  .string()
  .startsWith('arn:aws:sqs:', { error: ({ input }) => `must be the ARN of a queue, not ${input}` })
  .transform((arn) => arn.split(':').at(-1) ?? '');

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

/** Creates the template's queues and supplies the template with their URLs. */
export const createQueues = (
  template: Template,
  service: Pick<QueueService, 'create'>,
  endpoint: string,
): void => {
  for (const { logicalId, name, properties } of template.read(queueShape)) {
    const { RedrivePolicy } = properties;
    service.create({
      name,
      visibilityTimeoutMs: properties.VisibilityTimeout * 1000,
      retentionMs: properties.MessageRetentionPeriod * 1000,
      ...(RedrivePolicy && {
        redrive: {
          deadLetterQueue: RedrivePolicy.deadLetterTargetArn,
          maximumReceives: RedrivePolicy.maxReceiveCount,
        },
      }),
    });
    const url = queueUrl(endpoint, name);
    template.supply(logicalId, { ref: url, attributes: { QueueUrl: url } });
  }
};
