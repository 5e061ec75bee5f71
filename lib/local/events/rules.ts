import { z } from 'zod';
import { compilePattern, type EventPattern } from '../event-pattern.ts';
import { functionName } from '../lambda/functions.ts';
import { queueName } from '../sqs/queues.ts';
import type { ResourceShape } from '../template/honoured.ts';
import type { Template } from '../template/template.ts';

/** A queue or a function that gets the events of a rule. */
export interface RuleTarget {
  readonly kind: 'queue' | 'function';
  readonly name: string;
  /** The queue that gets the events that this target, if it is a queue, refuses. */
  readonly deadLetterQueue?: string;
}

/** The target that an ARN names. */
export const TargetArn = z
  .string()
  .regex(/^arn:aws:(sqs|lambda):/, {
    error: ({ input }) => `must be the ARN of a queue or a function, not ${input}`,
  })
  .transform(
    (arn): RuleTarget =>
      arn.startsWith('arn:aws:sqs:')
        ? { kind: 'queue', name: queueName(arn) }
        : { kind: 'function', name: functionName(arn) },
  );

/** The name of a bus, from its ARN or the name itself. */
export const busName = (arnOrName: string): string => arnOrName.split('event-bus/').at(-1) ?? '';

const RuleProperties = z.object({
  // A rule with a schedule only has none; the schedule is dropped, and so reported.
  EventPattern: z.record(z.string(), z.unknown()).optional(),
  EventBusName: z.string().default('default').transform(busName),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  Targets: z
    .array(
      z.object({
        Arn: TargetArn,
        DeadLetterConfig: z.object({ Arn: z.string().transform(queueName) }).optional(),
      }),
    )
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
    'Targets.Id',
    // Here the target is in the same process: it takes the event at once or never.
    'Targets.RetryPolicy',
    'Targets.RoleArn',
  ],
};

/** A rule of a bus: the events that it matches, and who gets them. */
export interface Rule {
  readonly name: string;
  readonly bus: string;
  readonly matches: EventPattern;
  readonly targets: readonly RuleTarget[];
}

/** The template's rules that are enabled. */
export const readRules = (template: Template): Rule[] => {
  const known = new Set(['default', ...template.labels().keys()]);
  return template
    .make(
      ruleShape,
      ({ name, properties: { EventBusName: bus, State, EventPattern, Targets } }) => {
        const targets = Targets.map(({ Arn, DeadLetterConfig }) => ({
          ...Arn,
          ...(DeadLetterConfig && { deadLetterQueue: DeadLetterConfig.Arn }),
        }));
        const names = targets.flatMap(({ name, deadLetterQueue = name }) => [
          name,
          deadLetterQueue,
        ]);
        const unknown = [bus, ...names].find((each) => !known.has(each));
        if (unknown) throw new Error(`names ${unknown}, which is not in the template`);
        const matches = EventPattern === undefined ? () => false : compilePattern(EventPattern);
        return State === 'ENABLED' ? [{ name, bus, matches, targets }] : [];
      },
    )
    .flat();
};
