import { isMoreSignificant, type MailEvent } from '../domain/mail-event.ts';
import { Conflict, retry } from './conflict.ts';
import { endDelivery, loadAttempt } from './deliveries.ts';

/**
 * Records what became of an attempt's mail.
 *
 * @returns whether the attempt has changed
 */
export const saveMailEvent = ({
  request_id: _,
  workspace: __,
  offer,
  delivery,
  ...result
}: MailEvent): Promise<boolean> =>
  retry(async () => {
    const attempt = await loadAttempt(offer, delivery);
    if (!isMoreSignificant(result, attempt)) return false;
    if (!(await endDelivery(attempt, result))) throw new Conflict(`${delivery} has changed.`);
    return true;
  });
