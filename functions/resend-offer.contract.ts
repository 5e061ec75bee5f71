import { demo } from './contract/demo.ts';
import { offer } from './contract/objects.ts';
import type { Operation } from './contract/operation.ts';
import { identifier } from './contract/parameters.ts';

export const resendOffer: Operation<{ readonly id: string }> = {
  access: {
    reads: ['GetItem'],
    creates: ['offers'],
    updates: { in: ['offers'], attributes: ['status', 'attempts', 'updated'] },
    claims: true,
  },
  clientMethod: 'resendOffer',
  tag: 'Offers',
  summary: 'Send an offer again',
  description:
    'Sends the offer again to the address stored on it. The offer must have been sent before. Each request creates another delivery attempt. A retry with the same `Idempotency-Key` returns the saved response and sends nothing. A test workspace sends no e-mail: the attempt is simulated. The request has no body.',
  parameters: [identifier('offer', demo.offers.sent)],
  response: offer,
  success: 'The offer. Its delivery summary includes the new attempt.',
  links: {
    ResendAgain: {
      operationId: 'resendOffer',
      description: 'Another delivery attempt of the same offer.',
      parameters: { id: '$response.body#/id' },
    },
  },
  request: ({ id }) => ({ id }),
  problems: {
    offer_not_found: { id: 'ofr_unknown' },
    offer_not_sent: { id: demo.offers.draft },
  },
  examples: {
    name: 'resent',
    target: { id: demo.offers.sent },
    faulty: { body: { to: 'me@example.com' } },
    keyed: {
      key: 'my-first-resend',
      different: { id: demo.offers.accepted },
    },
  },
};
