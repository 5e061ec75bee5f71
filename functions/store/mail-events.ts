import { isNews, type MailEvent } from '../domain/mail-event.ts';
import { endDelivery } from './deliveries.ts';

/**
 * Records what became of an attempt's mail.
 *
 * @returns whether that was news
 */
export const saveMailEvent = ({
  workspace: _,
  offer,
  delivery,
  ...fate
}: MailEvent): Promise<boolean> =>
  endDelivery(offer, delivery, fate, (attempt) => isNews(fate, attempt));
