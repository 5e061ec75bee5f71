/** The metrics that the functions record (Powertools Metrics); the dashboard and the alarms read them. */
export type MetricName =
  | 'ColdStart'
  | 'IdempotentReplay'
  | 'IdempotencyConflict'
  | 'MessageFailed'
  | 'ProvisioningTime'
  | MailMetric;

/** How many mails were sent, and how they ended. */
export type MailMetric = `Mail${Capitalize<MailStatus>}`;

/** The end of sending a mail, or what SES reports of it later. */
export type MailStatus = 'sent' | 'failed' | 'simulated' | 'delivered' | 'bounced' | 'complained';
