import { isTestWorkspace } from './domain/caller.ts';
import { DeliverOffer } from './domain/messages.ts';
import { maximumFailures } from './domain/outbox.ts';
import { mailOffer } from './mail/mail-offer.ts';
import { waitMsOf } from './mail/refusal.ts';
import { consumer, Postponed, type Receive } from './queue/consumer.ts';
import { giveUp } from './queue/give-up.ts';
import { postpone } from './queue/postpone.ts';
import {
  countFailures,
  putBackDelivery,
  saveDeliveryResult,
  takeDelivery,
} from './store/deliveries.ts';
import { countMail } from './telemetry/metrics.ts';

/** A queued delivery attempt is mailed, or simulated in a test workspace, and its end recorded. */
const deliver = async (message: DeliverOffer, receive: Receive): Promise<void> => {
  const { offer, delivery, request_id, failures: earlier = 0 } = message;
  const { count, receiptHandle, remainingMs } = receive;
  const failures = await countFailures(offer, delivery, count, earlier);
  if (failures >= earlier + maximumFailures)
    return giveUp(JSON.stringify({ ...message, failures }));
  const taken = await takeDelivery(offer, delivery);
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

export const handler = consumer(DeliverOffer, deliver, giveUp);
