import type { MailResult } from '../domain/mail-event.ts';
import type { DeliveryResult } from '../domain/offer.ts';

/** The metrics that the functions record with Powertools. Dashboard and alarms read them. */
export type MetricName =
  | 'ColdStart'
  | 'IdempotentReplay'
  | 'IdempotencyConflict'
  | 'MessageFailed'
  | 'ProvisioningTime'
  | 'TokenEndsSoon'
  | MailMetric;

/**
 * The metric of responses with a problem, its dimension that has the problem's code, and the one
 * that has the function's version, by which a deployment watches internal errors.
 */
export const problemMetric = {
  name: 'Problem',
  dimension: 'code',
  versionDimension: 'version',
} as const;

export type MailMetric = `Mail${Capitalize<MailStatus>}`;

/** The end of sending a mail, or what SES reports of it later; or `held` while SES takes none. */
export type MailStatus = (DeliveryResult | MailResult)['status'] | 'held';
