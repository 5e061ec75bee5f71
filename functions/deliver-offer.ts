import { isTestWorkspace } from './domain/caller.ts';
import { DeliverOffer } from './domain/messages.ts';
import { mailOffer } from './mail/mail-offer.ts';
import { waitMsOf } from './mail/refusal.ts';
import { consumer, Postponed, type Receive } from './queue/consumer.ts';
import { postpone } from './queue/postpone.ts';
import {
  putBackDelivery,
  resetTakes,
  saveDeliveryResult,
  takeDelivery,
} from './store/deliveries.ts';
import { countMail } from './telemetry/metrics.ts';

/** A queued delivery attempt is mailed, or simulated in a test workspace, and its end recorded. */
const deliver = async (message: DeliverOffer, receive: Receive): Promise<void> => {
  const { offer, delivery, request_id } = message;
  const { count, receiptHandle, remainingMs } = receive;
  const taken = await takeDelivery(offer, delivery, count === 1);
  if (!taken) return;
  const result = isTestWorkspace(taken.workspace)
    ? ({ status: 'simulated' } as const)
    : await mailOffer(taken, request_id, remainingMs);
  if (result.status === 'held') {
    await putBackDelivery(taken);
    await postpone(receiptHandle, waitMsOf(result, count));
    if (result.reason !== 'sending_rate') countMail('held');
    throw new Postponed(`SES takes no mail now (${result.reason}).`);
  }
  countMail(result.status);
  await saveDeliveryResult(taken, result, remainingMs());
};

// In this order: without its dead letter, an attempt may not be sent as often again.
export const handler = consumer(DeliverOffer, deliver, ({ offer, delivery }) =>
  resetTakes(offer, delivery),
);
