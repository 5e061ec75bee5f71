import type { Duration } from 'aws-cdk-lib';
import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ProblemCode } from '../../functions/domain/problem.ts';
import { type MetricName, problemMetric } from '../../functions/telemetry/metric-names.ts';
import type { Settings } from './settings.ts';

/** The CloudWatch namespace of a stage's own metrics. */
export const metricsNamespace = ({ stage }: Pick<Settings, 'stage'>) =>
  `WorkforcePayments/${stage}`;

export const recorded = (
  settings: Settings,
  functionName: string,
  metricName: MetricName,
  options: MetricOptions = {},
): Metric =>
  new Metric({
    namespace: metricsNamespace(settings),
    metricName,
    dimensionsMap: { service: functionName },
    statistic: Stats.SUM,
    ...options,
  });

/** The number of internal errors of the service, or of one version of a function. */
export const internalErrors = (
  settings: Settings,
  period: Duration,
  ofVersion?: { readonly service: string; readonly version: string },
): Metric =>
  new Metric({
    namespace: metricsNamespace(settings),
    metricName: problemMetric.name,
    dimensionsMap: {
      [problemMetric.dimension]: 'internal_error' satisfies ProblemCode,
      ...(ofVersion && {
        service: ofVersion.service,
        [problemMetric.versionDimension]: ofVersion.version,
      }),
    },
    statistic: Stats.SUM,
    period,
  });
