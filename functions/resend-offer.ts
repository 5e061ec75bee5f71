import { newDeliveryAttempt, presentOffer, resend } from './domain/offer.ts';
import { routes } from './domain/routes.ts';
import { endpoint } from './http/endpoint.ts';
import { newIdentity } from './runtime/identity.ts';
import { loadOffer, saveDeliveryAttempt } from './store/offers.ts';

/** A sent offer is sent again to the address stored on it, as another delivery attempt. */
export const handler = endpoint(routes.resendOffer, {}, async ({ id, caller, author, claim }) => {
  const offer = await loadOffer(caller, id);
  const { opaque, created } = newIdentity();
  const attempt = newDeliveryAttempt(id, opaque, created);
  const resent = resend(offer, attempt);
  const answer = presentOffer(resent, attempt);
  await saveDeliveryAttempt(caller.workspace, offer, resent, attempt, author, claim(answer));
  return answer;
});
