import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { AdminError } from './admin-error.ts';
import type { Service } from './connect.ts';
import { type Happening, sesEvent } from './ses-event.ts';

/**
 * Publishes what happened to a mail, as SES would.
 *
 * @throws AdminError when the stack sends no mail, or the bus refuses the event
 */
export const publishMailEvent = async (
  { mailConfigurationSet: configurationSet, eventBridge }: Service,
  happening: Omit<Happening, 'configurationSet' | 'now'>,
): Promise<{ readonly eventId: string; readonly detailType: string | undefined }> => {
  if (!configurationSet) throw new AdminError('The stack has no output MailConfigurationSet.');
  const entry = sesEvent({ ...happening, configurationSet, now: new Date().toISOString() });
  const { Entries: [result] = [] } = await eventBridge.send(
    new PutEventsCommand({ Entries: [entry] }),
  );
  if (!result?.EventId) throw new AdminError(`The event was refused: ${result?.ErrorMessage}`);
  return { eventId: result.EventId, detailType: entry.DetailType };
};
