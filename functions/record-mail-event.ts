import { isMoreSignificant, MailEvent } from './domain/mail-event.ts';
import { consumer } from './queue/consumer.ts';
import { retry } from './store/conflict.ts';
import { loadAttempt, saveMailEvent } from './store/deliveries.ts';
import { countMail } from './telemetry/metrics.ts';

/** SES's event becomes the status of its attempt, unless the current one is more significant. */
export const handler = consumer(MailEvent, { idsIn: ({ message }) => message }, (event) =>
  retry(async () => {
    const attempt = await loadAttempt(event.offer, event.delivery);
    if (!isMoreSignificant(event, attempt)) return;
    await saveMailEvent(attempt, event);
    countMail(event.status);
  }),
);
