import { isTestWorkspace } from './domain/caller.ts';
import { DeliverOffer } from './domain/messages.ts';
import { mailOffer } from './mail/mail-offer.ts';
import { consumer } from './queue/consumer.ts';
import { saveDeliveryResult, takeDelivery } from './store/deliveries.ts';
import { countMail } from './telemetry/metrics.ts';

/** A queued delivery attempt is mailed, or simulated in a test workspace, and its end recorded. */
export const handler = consumer(
  DeliverOffer,
  async ({ offer, delivery, request_id }, remainingMs) => {
    const taken = await takeDelivery(offer, delivery);
    if (!taken) return;
    const result = isTestWorkspace(taken.workspace)
      ? ({ status: 'simulated' } as const)
      : await mailOffer(taken, request_id);
    countMail(result.status);
    await saveDeliveryResult(taken, result, remainingMs());
  },
);
