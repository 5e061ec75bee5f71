/** The attribute names that DynamoDB itself must know. The stack makes the table with them. */
export const attributes = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'expires' } as const;

/**
 * The statuses in which a delivery attempt ends, each with the attribute of its time. A mail that
 * was sent may reach several in turn, and `bounced` again with a more significant reason.
 */
export const endTimes = {
  sent: 'sent_at',
  simulated: 'simulated_at',
  failed: 'failed_at',
  delivered: 'delivered_at',
  bounced: 'bounced_at',
  complained: 'complained_at',
} as const;
