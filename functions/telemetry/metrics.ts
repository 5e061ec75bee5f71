import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { ProblemCode } from '../domain/problem.ts';
import {
  type MailMetric,
  type MailStatus,
  type MetricName,
  problemMetric,
} from './metric-names.ts';

/** The stack sets POWERTOOLS_METRICS_NAMESPACE and POWERTOOLS_SERVICE_NAME. */
const metrics = new Metrics();

/** An instance of provisioned concurrency starts before its first request. */
let isCold = process.env.AWS_LAMBDA_INITIALIZATION_TYPE === 'on-demand';

/** A handler that prints the metrics recorded while it ran, if any, as one line of EMF. */
export const measured =
  <Args extends unknown[], Result>(handle: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result> => {
    // Not captureColdStartMetric, which prints a line of its own.
    if (isCold) count('ColdStart');
    isCold = false;
    try {
      return await handle(...args);
    } finally {
      if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    }
  };

export const count = (name: Exclude<MetricName, 'ProvisioningTime'>) =>
  metrics.addMetric(name, MetricUnit.Count, 1);

/** Counts a mail that was sent, or whose end SES has reported. */
export const countMail = (status: MailStatus): void => {
  const [initial = '', ...rest] = status;
  count(`Mail${initial.toUpperCase()}${rest.join('')}` as MailMetric);
};

/** Records how long it took from the creation of a sandbox until it was ready. */
export const recordProvisioningTime = (durationMs: number) =>
  metrics.addMetric('ProvisioningTime' satisfies MetricName, MetricUnit.Milliseconds, durationMs);

/** Counts a response by its problem code, in an EMF line of its own: only it has this dimension. */
export const countProblem = (code: ProblemCode): void => {
  const problem = () => metrics.singleMetric().addDimension(problemMetric.dimension, code);
  problem().addMetric(problemMetric.name, MetricUnit.Count, 1);
  if (code !== 'internal_error') return;
  problem()
    .addDimension(problemMetric.versionDimension, String(process.env.AWS_LAMBDA_FUNCTION_VERSION))
    .addMetric(problemMetric.name, MetricUnit.Count, 1);
  // Of all functions together: an alarm takes ten metrics.
  const together = metrics.singleMetric();
  together.clearDefaultDimensions();
  together
    .addDimension(problemMetric.dimension, code)
    .addMetric(problemMetric.name, MetricUnit.Count, 1);
};
