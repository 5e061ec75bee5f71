import {
  BadRequestException,
  MessageRejected,
  SESv2Client,
  SendEmailCommand,
} from '@aws-sdk/client-sesv2';
import type { DeliveryResult } from '../domain/offer.ts';
import { environment } from '../runtime/environment.ts';
import { timeLimits } from '../runtime/time-limits.ts';
import type { TakenDelivery } from '../store/deliveries.ts';
import { offerMessage } from './offer-message.ts';

/** SES may have closed a kept connection while the function was frozen: the try would fail. */
const ownConnection = { keepAlive: false };

/** One try only: SES cannot recognise a repeated request, so the queue decides about retries. */
const client = new SESv2Client({
  maxAttempts: 1,
  requestHandler: {
    ...timeLimits,
    connectionTimeout: 2000,
    requestTimeout: 10_000,
    httpAgent: ownConnection,
    httpsAgent: ownConnection,
  },
});

/**
 * Mails an offer to its recipient. Each mail carries its attempt and the request that made it as
 * tags, for the events that SES publishes, and its attempt as a header, for the reader of the mail.
 *
 * @returns `failed` when SES will never take this message
 * @throws whatever may pass: throttling, a paused account, no answer
 */
export const mailOffer = async (
  { workspace, offer, id, recipient }: TakenDelivery,
  requestId: string,
): Promise<DeliveryResult> => {
  const { subject, text, html } = offerMessage(offer);
  try {
    const { MessageId = '' } = await client.send(
      new SendEmailCommand({
        FromEmailAddress: environment('SENDER'),
        Destination: { ToAddresses: [recipient] },
        ConfigurationSetName: environment('CONFIGURATION_SET'),
        EmailTags: [
          { Name: 'workspace', Value: workspace },
          { Name: 'offer', Value: offer },
          { Name: 'delivery_attempt', Value: id },
          { Name: 'request_id', Value: requestId },
        ],
        Content: {
          Simple: {
            Subject: { Data: subject },
            Body: { Text: { Data: text }, Html: { Data: html } },
            Headers: [{ Name: 'X-Delivery-Attempt', Value: id }],
          },
        },
      }),
    );
    return { status: 'sent', message_id: MessageId };
  } catch (error) {
    if (error instanceof MessageRejected) return { status: 'failed', reason: 'message_rejected' };
    if (error instanceof BadRequestException)
      return { status: 'failed', reason: 'invalid_message' };
    throw error;
  }
};
