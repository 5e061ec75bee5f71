import { newDeliveryAttempt, presentOffer, resend } from './domain/offer.ts';
import { routes } from './domain/routes.ts';
import { endpoint } from './http/endpoint.ts';
import { loadOffer, saveDeliveryAttempt } from './store/offers.ts';

/** A sent offer is sent again to the address stored on it, as another delivery attempt. */
export const handler = endpoint(routes.resendOffer, {
  load: ({ id, caller }) => loadOffer(caller, id),
  decide: ({ id }, before, { opaque, created }) => {
    const attempt = newDeliveryAttempt(id, opaque, created);
    const after = resend(before, attempt);
    return { before, after, attempt, response: presentOffer(after, attempt) };
  },
  save: ({ before, after, attempt }, { caller, author, claim }) =>
    saveDeliveryAttempt(caller.workspace, before, after, attempt, author, claim),
  changed: ({ id, delivery }) => ({ offer: id, delivery: delivery.last_attempt?.id }),
});
