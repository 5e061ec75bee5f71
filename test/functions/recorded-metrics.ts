import { expect } from 'vitest';

/** A metric as CloudWatch reads it out of a function's log. */
export interface Recorded {
  readonly namespace: string;
  readonly name: string;
  readonly unit: string;
  readonly values: readonly number[];
  readonly dimensions: Readonly<Record<string, string>>;
}

/** The metrics that a function has printed, in CloudWatch's embedded metric format. */
export const metricsIn = (log: readonly string[]): Recorded[] =>
  log
    .filter((line) => line.includes('"_aws"'))
    .map((line) => JSON.parse(line))
    .flatMap((line) =>
      line._aws.CloudWatchMetrics.flatMap((directive: Directive) =>
        directive.Metrics.flatMap(({ Name, Unit }) =>
          directive.Dimensions.map((names) => ({
            namespace: directive.Namespace,
            name: Name,
            unit: Unit,
            values: [line[Name]].flat(),
            dimensions: Object.fromEntries(names.map((name) => [name, line[name]])),
          })),
        ),
      ),
    );

/** Expects that a function counts so many messages or records that failed. */
export const expectFailures = ({ log }: { readonly log: readonly string[] }, count: number) =>
  expect
    .poll(() =>
      metricsIn(log).flatMap(({ name, values }) => (name === 'MessageFailed' ? values : [])),
    )
    .toHaveLength(count);

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
}
