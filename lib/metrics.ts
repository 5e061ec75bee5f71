import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { ProblemCode } from '../functions/domain/problem.ts';
import { type MetricName, problemMetric } from '../functions/telemetry/metric-names.ts';
import type { Settings } from './settings.ts';

/** The CloudWatch namespace of a stage's own metrics. */
export const metricsNamespace = ({ stage }: Pick<Settings, 'stage'>) =>
  `WorkforcePayments/${stage}`;

/** A metric that a function records. */
export const recorded = (
  settings: Settings,
  functionName: string,
  metricName: MetricName | typeof problemMetric.name,
  options: MetricOptions = {},
): Metric =>
  new Metric({
    namespace: metricsNamespace(settings),
    metricName,
    dimensionsMap: { service: functionName },
    statistic: 'Sum',
    ...options,
  });

/** The number of a function's responses with this problem code, or of one version's. */
export const recordedProblem = (
  settings: Settings,
  functionName: string,
  code: ProblemCode,
  { version, ...options }: MetricOptions & { readonly version?: string } = {},
): Metric =>
  recorded(settings, functionName, problemMetric.name, {
    dimensionsMap: {
      service: functionName,
      [problemMetric.dimension]: code,
      ...(version && { [problemMetric.versionDimension]: version }),
    },
    ...options,
  });
