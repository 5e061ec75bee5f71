/** Every key of the table: `pk` decides the partition, `sk` the order within it. */
export const keys = {
  paymentRequest: (id: string) => ({ pk: `PAYMENT_REQUEST#${id}`, sk: 'PAYMENT_REQUEST' }),
  approval: (paymentRequest: string, id: string) => ({
    pk: `PAYMENT_REQUEST#${paymentRequest}`,
    sk: `APPROVAL#${id}`,
  }),
  sandbox: (workspace: string, id: string) => ({
    pk: `WORKSPACE#${workspace}`,
    sk: `SANDBOX#${id}`,
  }),
  workspace: (id: string) => ({ pk: `WORKSPACE#${id}`, sk: 'WORKSPACE' }),
  offer: (id: string) => ({ pk: `OFFER#${id}`, sk: 'OFFER' }),
  delivery: (offer: string, id: string) => ({ pk: `OFFER#${offer}`, sk: `DELIVERY#${id}` }),
  account: (id: string) => ({ pk: `ACCOUNT#${id}`, sk: 'ACCOUNT' }),
  manager: (account: string, id: string) => ({ pk: `ACCOUNT#${account}`, sk: `MANAGER#${id}` }),
  token: (hash: string) => ({ pk: `TOKEN#${hash}`, sk: 'TOKEN' }),
  redaction: (workspace: string, id: string) => ({
    pk: `WORKSPACE#${workspace}`,
    sk: `REDACTION#${id}`,
  }),
  claim: (hash: string) => ({ pk: `CLAIM#${hash}`, sk: 'CLAIM' }),
};

/** Sorts before and after every identifier with a prefix: `~` sorts after their characters. */
export const bounds = {
  sandbox: { first: 'SANDBOX#', last: 'SANDBOX#~' },
  approval: { first: 'APPROVAL#', last: 'APPROVAL#~' },
} as const;
