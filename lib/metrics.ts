import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { ProblemCode } from '../functions/domain/problem.ts';
import type { Settings } from './settings.ts';

/** Where the functions of a stage record what they count. */
export const metricsNamespace = ({ stage }: Pick<Settings, 'stage'>) =>
  `WorkforcePayments/${stage}`;

/** What the functions record (Powertools Metrics); the dashboard and the alarms read it. */
export type RecordedMetric =
  | 'ColdStart'
  | 'IdempotentReplay'
  | 'IdempotencyConflict'
  | 'MessageFailed'
  | 'ProvisioningTime'
  | 'MailSent'
  | 'MailFailed'
  | 'MailSimulated'
  | 'MailDelivered'
  | 'MailBounced'
  | 'MailComplained';

/** A metric that a function records about itself. */
export const recorded = (
  settings: Settings,
  functionName: string,
  metricName: RecordedMetric,
  options: MetricOptions = {},
): Metric =>
  new Metric({
    namespace: metricsNamespace(settings),
    metricName,
    dimensionsMap: { service: functionName },
    statistic: 'Sum',
    ...options,
  });

/** How often a function answered with a problem. */
export const recordedProblem = (
  settings: Settings,
  functionName: string,
  code: ProblemCode,
  options: MetricOptions = {},
): Metric =>
  new Metric({
    namespace: metricsNamespace(settings),
    metricName: 'Problem',
    dimensionsMap: { service: functionName, code },
    statistic: 'Sum',
    ...options,
  });
