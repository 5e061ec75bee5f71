/** The table's attribute names that DynamoDB itself must know. The stack makes the table with them. */
export const attributes = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'expires' } as const;

/** The values of `type` that the stream's filter looks for, with the status each waits in. */
export const outboxItems = [
  { type: 'SANDBOX', status: 'provisioning' },
  { type: 'DELIVERY', status: 'queued' },
] as const;
