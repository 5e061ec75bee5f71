import type { SQSRecord } from 'aws-lambda';
import { isTestWorkspace } from './domain/caller.ts';
import { DeliverOffer } from './domain/messages.ts';
import { mailOffer } from './mail/mail-offer.ts';
import { waitMsOf } from './mail/ses-error.ts';
import { consumer, Postponed } from './queue/consumer.ts';
import { postpone } from './queue/postpone.ts';
import {
  putBackDelivery,
  resetTakes,
  saveDeliveryResult,
  takeDelivery,
} from './store/deliveries.ts';
import { countMail } from './telemetry/metrics.ts';

/** A queued delivery attempt is mailed, or simulated in a test workspace, and its end recorded. */
const deliver = async (
  { offer, delivery, request_id }: DeliverOffer,
  { receiptHandle, attributes }: SQSRecord,
  remainingMs: () => number,
): Promise<void> => {
  const receives = Number(attributes.ApproximateReceiveCount);
  const taken = await takeDelivery(offer, delivery, receives === 1);
  if (!taken) return;
  const result = isTestWorkspace(taken.workspace)
    ? ({ status: 'simulated' } as const)
    : await mailOffer(taken, request_id, remainingMs);
  if (result.status === 'held') {
    await putBackDelivery(taken);
    await postpone(receiptHandle, waitMsOf(result, receives));
    // The rate may be free in a moment; and until the fourth receive, the age of the queue's oldest
    // message shows that it is not ("Available CloudWatch metrics for Amazon SQS").
    if (result.reason !== 'sending_rate' || receives > 3) countMail('held');
    throw new Postponed(`SES takes no mail now (${result.reason}).`);
  }
  countMail(result.status);
  await saveDeliveryResult(taken, result, remainingMs());
};

export const handler = consumer(
  DeliverOffer,
  {
    idsIn: ({ message }) => message,
    // After its dead letter is sent: only its redrive may try as often again.
    whenGivenUp: ({ offer, delivery }) => resetTakes(offer, delivery),
  },
  deliver,
);
