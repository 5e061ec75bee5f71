import { MailEvent } from './domain/mail-event.ts';
import { consumer } from './queue/consumer.ts';
import { saveMailEvent } from './store/mail-events.ts';
import { countMail } from './telemetry/metrics.ts';

/** SES's event becomes the status of its attempt, unless the current one is more significant. */
export const handler = consumer(MailEvent, async (event) => {
  if (await saveMailEvent(event)) countMail(event.status);
});
