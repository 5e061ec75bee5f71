import { isMoreSignificant, type MailEvent } from '../domain/mail-event.ts';
import { Conflict, retry } from './conflict.ts';
import { endDelivery, loadAttempt } from './deliveries.ts';

/** Time within which those who end the same attempt sort themselves out. */
const patienceMs = 2000;

/**
 * Records what became of an attempt's mail.
 *
 * @returns whether that was news
 */
export const saveMailEvent = ({
  request_id: _,
  workspace: __,
  offer,
  delivery,
  ...fate
}: MailEvent): Promise<boolean> =>
  retry(async () => {
    const attempt = await loadAttempt(offer, delivery);
    if (!isMoreSignificant(fate, attempt)) return false;
    if (!(await endDelivery(attempt, fate))) throw new Conflict(`${delivery} has changed.`);
    return true;
  }, patienceMs);
