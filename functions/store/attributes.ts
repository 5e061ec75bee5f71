/** The attribute names that DynamoDB itself must know. The stack makes the table with them. */
export const attributes = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'expires' } as const;
