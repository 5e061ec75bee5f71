/**
 * The statuses in which items of a type begin, and to which none returns: an item with another
 * status has gone on from there.
 */
const beginnings: Readonly<Record<string, readonly string[]>> = {
  PAYMENT_REQUEST: ['draft', 'pending'],
  OFFER: ['draft'],
  SANDBOX: ['provisioning'],
  DELIVERY: ['queued', 'sending'],
};

/** Whether an item, of a type with such statuses, still has one of them. */
export const isBeginning = ({ type, status }: Readonly<Record<string, unknown>>): boolean =>
  beginnings[String(type)]?.includes(String(status)) ?? false;
