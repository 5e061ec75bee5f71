import { z } from 'zod';
import { compilePattern, type EventPattern } from '../event-pattern.ts';
import type { QueueService } from '../sqs/queue-service.ts';
import { queueName } from '../sqs/queues.ts';
import type { ResourceShape } from '../template/honoured.ts';
import type { Template } from '../template/template.ts';

const RuleProperties = z.object({
  // A rule with a schedule only has none; the schedule is dropped, and so reported.
  EventPattern: z.record(z.string(), z.unknown()).optional(),
  EventBusName: z.literal('default').default('default'),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  Targets: z
    .array(z.object({ Arn: z.string().startsWith('arn:aws:sqs:', 'only queues can be targets') }))
    .default([]),
});

const ruleShape: ResourceShape<z.infer<typeof RuleProperties>> = {
  type: 'AWS::Events::Rule',
  honoured: RuleProperties,
  withoutEffect: [
    'Description',
    'Name',
    'RoleArn',
    'Tags',
    // Here the queue is in the same process: it takes the event at once or never.
    'Targets.DeadLetterConfig',
    'Targets.Id',
    'Targets.RetryPolicy',
    'Targets.RoleArn',
  ],
};

/** A rule of the default bus: the events that it wants, and the queues that get them. */
export interface Rule {
  readonly name: string;
  readonly matches: EventPattern;
  readonly queues: string[];
}

/**
 * The template's rules that are enabled.
 *
 * @throws Error when a target is not a queue of the template
 */
export const readRules = (template: Template, queues: QueueService): Rule[] =>
  template
    .read(ruleShape)
    .filter(({ properties }) => properties.State === 'ENABLED')
    .map(({ logicalId, name, properties }) => {
      const targets = properties.Targets.map(({ Arn }) => queueName(Arn));
      const unknown = targets.find((target) => !queues.names().includes(target));
      if (unknown !== undefined) {
        throw new Error(`${logicalId} sends events to ${unknown}, which is not in the template`);
      }
      const { EventPattern } = properties;
      const matches = EventPattern === undefined ? () => false : compilePattern(EventPattern);
      return { name, matches, queues: targets };
    });
