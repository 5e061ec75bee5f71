import { describe, expect, test } from 'vitest';
import { leaseMs } from '../../functions/store/deliveries.ts';
import {
  consumers,
  developmentTemplate,
  functionsOf,
  mentioned,
  policiesOf,
  queuesOf,
  resourcesOf,
} from '../support/read-template.ts';

const template = developmentTemplate();

describe.each(consumers)('the queue %s', (_, functionName) => {
  const { queue } = queuesOf(template, functionName);
  const properties = template.Resources[queue]?.Properties ?? {};

  test('hides a message for six times as long as the function may run', () => {
    const [, lambda] = functionsOf(template).get(functionName) ?? [];
    expect(properties.VisibilityTimeout).toBeGreaterThanOrEqual(6 * lambda?.Properties.Timeout);
  });

  test('has a consumer that can make a message a dead letter of this queue at once', () => {
    const [, lambda] = functionsOf(template).get(functionName) ?? [];
    const { DEAD_LETTERS_URL } = lambda?.Properties.Environment.Variables ?? {};
    expect(mentioned(DEAD_LETTERS_URL)).toEqual(mentioned(properties.RedrivePolicy));
  });

  test('is consumed once the function may do so', () => {
    const [mapping] = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').filter(
      ([, { Properties }]) => mentioned(Properties.EventSourceArn).includes(queue),
    );
    const policies = policiesOf(template, functionName).map(([id]) => id);
    expect(policies).toHaveLength(1);
    expect(mapping?.[1].DependsOn).toEqual(expect.arrayContaining(policies));
  });
});

test('a lease on a delivery attempt outlasts the function, and ends before its message comes again', () => {
  const [, lambda] = functionsOf(template).get('deliver-offer') ?? [];
  const { queue } = queuesOf(template, 'deliver-offer');
  expect(leaseMs).toBeGreaterThan(1000 * lambda?.Properties.Timeout);
  expect(leaseMs).toBeLessThan(1000 * template.Resources[queue]?.Properties.VisibilityTimeout);
});
