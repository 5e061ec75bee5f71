/** The attribute names that DynamoDB itself must know. The stack makes the table with them. */
export const attributes = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'expires' } as const;

/**
 * The statuses that a delivery attempt may end in, each with the attribute that says when it last
 * did. A mail that was sent may come to several in turn; only `bounced` may return, with a more
 * significant reason.
 */
export const endTimes = {
  sent: 'sent_at',
  simulated: 'simulated_at',
  failed: 'failed_at',
  delivered: 'delivered_at',
  bounced: 'bounced_at',
  complained: 'complained_at',
} as const;
