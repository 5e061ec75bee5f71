import { SESv2Client, SendEmailCommand, type SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import type { DeliveryResult } from '../domain/offer.ts';
import { backOff } from '../runtime/back-off.ts';
import { environment } from '../runtime/environment.ts';
import { timeLimits } from '../runtime/time-limits.ts';
import type { TakenDelivery } from '../store/deliveries.ts';
import { findCompany } from '../store/workspaces.ts';
import { logger } from '../telemetry/logger.ts';
import { offerMessage } from './offer-message.ts';
import { type HeldMail, resultOf, sentenceOf } from './ses-error.ts';

/** SES may have closed a kept connection while the function was frozen: the try would fail. */
const ownConnection = { keepAlive: false };

/** One try only: SES cannot recognise a repeated request, so `mailOffer` decides about retries. */
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

/** What the last try and recording its end may take. */
const lastTryMs = 15_000;

/**
 * Mails an offer to its recipient. While SES refuses it only because of the account's sending rate,
 * which is proof that nothing was sent, it is tried again as long as there is time.
 *
 * @returns `failed` when SES will never take this message, `held` when it takes no mail now
 * @throws where the mail may have been sent, or the fault may pass: no response, or an error of SES
 */
export const mailOffer = async (
  taken: TakenDelivery,
  requestId: string,
  remainingMs: () => number,
): Promise<DeliveryResult | HeldMail> => {
  const mail = mailOf(taken, requestId, await findCompany(taken.workspace));
  const addresses = { sender: environment('SENDER'), recipient: taken.recipient };
  for (let tries = 1; ; tries++) {
    try {
      const { MessageId = '' } = await client.send(new SendEmailCommand(mail));
      return { status: 'sent', message_id: MessageId };
    } catch (error) {
      const refusal = resultOf(error);
      if (refusal?.reason === 'sending_rate' && remainingMs() > lastTryMs) {
        await backOff(tries, 50, 1000);
        continue;
      }
      const { name } = error as Error;
      const { workspace, offer, id: delivery } = taken;
      logger.warn('mail', {
        request_id: requestId,
        workspace,
        offer,
        delivery,
        ...refusal,
        error: { name, message: sentenceOf(error, addresses) },
      });
      if (!refusal) throw error;
      return refusal;
    }
  }
};

/**
 * Each mail carries its attempt and the request that made it as tags, for the events that SES
 * publishes, and its attempt as a header, for the reader of the mail.
 */
const mailOf = (
  { workspace, offer, id, recipient }: TakenDelivery,
  requestId: string,
  company: string | undefined,
): SendEmailCommandInput => {
  const { OFFER_URL, REPLY_TO } = process.env;
  const { subject, text, html } = offerMessage({ id: offer, company, url: OFFER_URL });
  // Without a character set, SES takes 7-bit ASCII only (Amazon SES API v2, "Content").
  const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });
  return {
    FromEmailAddress: environment('SENDER'),
    ...(REPLY_TO && { ReplyToAddresses: [REPLY_TO] }),
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
        Subject: utf8(subject),
        Body: { Text: utf8(text), Html: utf8(html) },
        Headers: [{ Name: 'X-Delivery-Attempt', Value: id }],
      },
    },
  };
};
