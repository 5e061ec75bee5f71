import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { ProblemCode } from '../domain/problem.ts';

/** Named and told apart by the stack: POWERTOOLS_METRICS_NAMESPACE, POWERTOOLS_SERVICE_NAME. */
const metrics = new Metrics();

/** An instance that is kept provisioned has started before its first request came. */
let isCold = process.env.AWS_LAMBDA_INITIALIZATION_TYPE === 'on-demand';

/** A handler that prints what was recorded meanwhile, in one line for CloudWatch (EMF) or none. */
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

export const count = (
  name: 'ColdStart' | 'IdempotentReplay' | 'IdempotencyConflict' | 'MessageFailed',
): void => {
  metrics.addMetric(name, MetricUnit.Count, 1);
};

/** Counts a mail that was sent, or of which something has become known. */
export const countMail = (
  status: 'sent' | 'failed' | 'simulated' | 'delivered' | 'bounced' | 'complained',
): void => {
  metrics.addMetric(`Mail${status.charAt(0).toUpperCase()}${status.slice(1)}`, MetricUnit.Count, 1);
};

/** Counts an answer by its code: a line of its own, since the code is a dimension of no other. */
export const countProblem = (code: ProblemCode): void => {
  metrics.singleMetric().addDimension('code', code).addMetric('Problem', MetricUnit.Count, 1);
};

export const recordProvisioningTime = (durationMs: number): void => {
  metrics.addMetric('ProvisioningTime', MetricUnit.Milliseconds, durationMs);
};
