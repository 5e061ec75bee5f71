import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { Service } from '../service/connect.ts';
import { AdminError } from '../terminal/admin-error.ts';
import { type SesReport, sesEvent } from './ses-event.ts';

/** @throws AdminError when the stack sends no mail */
export const requireConfigurationSet = ({ mailConfigurationSet }: Service): string => {
  if (!mailConfigurationSet) throw new AdminError('The stack has no output MailConfigurationSet.');
  return mailConfigurationSet;
};

/**
 * Publishes what happened to a mail, as SES would.
 *
 * @throws AdminError when the bus refuses the event
 */
export const publishMailEvent = async (
  { eventBridge }: Pick<Service, 'eventBridge'>,
  report: Omit<SesReport, 'now'>,
): Promise<{ readonly eventId: string; readonly detailType: string | undefined }> => {
  const entry = sesEvent({ ...report, now: new Date().toISOString() });
  const { Entries: [result] = [] } = await eventBridge.send(
    new PutEventsCommand({ Entries: [entry] }),
  );
  if (!result?.EventId)
    throw new AdminError(`The event bus rejected the event: ${result?.ErrorMessage}`);
  return { eventId: result.EventId, detailType: entry.DetailType };
};
