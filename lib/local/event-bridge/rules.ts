import { z } from 'zod';
import { busName } from '../aws-account.ts';
import { labelsOf } from '../cloudformation/resource-names.ts';
import { type ResourceShape, withoutEffect } from '../cloudformation/resource-shape.ts';
import type { TemplateReader } from '../cloudformation/template-reader.ts';
import { QueueArn } from '../sqs/queues.ts';
import { compilePattern, type EventPattern } from './event-pattern.ts';

/** A queue that gets the events of a rule. */
export interface RuleTarget {
  readonly queue: string;
  /** Gets the events that the queue refuses. */
  readonly deadLetterQueue?: string;
}

const RuleProperties = z.strictObject({
  Name: z.string().optional(),
  EventPattern: z.record(z.string(), z.unknown()),
  EventBusName: z.string().default('default').transform(busName),
  State: z.literal('ENABLED').default('ENABLED'),
  Targets: z
    .array(
      z.strictObject({
        Arn: QueueArn,
        DeadLetterConfig: z.strictObject({ Arn: QueueArn }).optional(),
        Id: withoutEffect,
      }),
    )
    .default([]),
  Description: withoutEffect,
});

const ruleShape: ResourceShape<z.infer<typeof RuleProperties>> = {
  type: 'AWS::Events::Rule',
  schema: RuleProperties,
};

/** A rule of a bus: the events that it matches, and who gets them. */
export interface Rule {
  readonly name: string;
  readonly bus: string;
  readonly matches: EventPattern;
  readonly targets: readonly RuleTarget[];
}

/** The template's rules. */
export const readRules = (reader: TemplateReader): Rule[] => {
  const known = new Set(['default', ...labelsOf(reader.template).keys()]);
  return reader.make(ruleShape, ({ name, properties }) => {
    const { EventBusName: bus, EventPattern, Targets } = properties;
    const targets = Targets.map(({ Arn, DeadLetterConfig }) => ({
      queue: Arn,
      ...(DeadLetterConfig && { deadLetterQueue: DeadLetterConfig.Arn }),
    }));
    const names = targets.flatMap(({ queue, deadLetterQueue = queue }) => [queue, deadLetterQueue]);
    const unknown = [bus, ...names].find((each) => !known.has(each));
    if (unknown) throw new Error(`names ${unknown}, which is not in the template`);
    return { name, bus, matches: compilePattern(EventPattern), targets };
  });
};
