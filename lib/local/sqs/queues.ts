import { z } from 'zod';
import type { ResourceShape } from '../template/honoured.ts';
import type { Template } from '../template/template.ts';
import type { QueueService } from './queue-service.ts';
import { queueUrl } from './sqs-wire.ts';

const QueueProperties = z.object({
  QueueName: z.string().optional(),
  VisibilityTimeout: z.number().default(30),
  DelaySeconds: z.number().default(0),
  /** Four days. */
  MessageRetentionPeriod: z.number().default(345_600),
  ReceiveMessageWaitTimeSeconds: z.number().default(0),
  RedrivePolicy: z
    .object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number() })
    .optional(),
});

const queueShape: ResourceShape<z.infer<typeof QueueProperties>> = {
  type: 'AWS::SQS::Queue',
  honoured: QueueProperties,
  withoutEffect: [
    'KmsDataKeyReusePeriodSeconds',
    'KmsMasterKeyId',
    'RedriveAllowPolicy',
    'SqsManagedSseEnabled',
    'Tags',
  ],
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
      delayMs: properties.DelaySeconds * 1000,
      retentionMs: properties.MessageRetentionPeriod * 1000,
      receiveWaitMs: properties.ReceiveMessageWaitTimeSeconds * 1000,
      ...(RedrivePolicy && {
        redrive: {
          deadLetterQueue: queueName(RedrivePolicy.deadLetterTargetArn),
          maximumReceives: RedrivePolicy.maxReceiveCount,
        },
      }),
    });
    const url = queueUrl(endpoint, name);
    template.supply(logicalId, { ref: url, attributes: { QueueUrl: url } });
  }
};

/** The last part of a queue's ARN. */
export const queueName = (arn: string): string => arn.split(':').at(-1) ?? arn;
