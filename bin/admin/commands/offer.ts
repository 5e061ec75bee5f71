import { Command } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import {
  idempotencyKeyDays,
  idempotencyKeyForm,
  idempotencyKeyPattern,
} from '../../../functions/domain/idempotency-key.ts';
import { OfferId } from '../../../functions/domain/identifiers.ts';
import { Offer, type PresentedOffer } from '../../../functions/domain/offer.ts';
import { offerItem } from '../../../functions/store/offers.ts';
import { argument, examples, group, serve } from '../service/command.ts';
import { importCommand } from '../service/import.ts';
import { byScan, listCommand } from '../service/list.ts';
import { loadOffer, sendOffer } from '../table/offers.ts';
import { scanType } from '../table/scan.ts';
import { type Cells, facts, factsWith } from '../terminal/print.ts';

/** The rules of the contract, strictly. A new offer has no delivery attempts. */
const lineSchema = (now: string) => {
  const { id, recipient_email, status, created } = Offer.shape;
  return z.strictObject({
    id,
    recipient_email,
    status: z._default(status, 'draft'),
    created: z._default(created, now),
  });
};

const importing = importCommand({
  noun: 'offer',
  schema: lineSchema,
  toItem: (workspace, offer) =>
    offerItem(workspace, { ...offer, attempts: 0, updated: offer.created }),
  changing: ['status'],
  help: `
A line has an id and a recipient_email, and may have a status (default: draft) and created. This sends
nothing.`,
  sample: `
  {"id":"ofr_1","recipient_email":"amara@example.com"}

  id,recipient_email
  ofr_1,amara@example.com`,
});

const list = listCommand({
  noun: 'offer',
  of: '--workspace <id>',
  order: byScan,
  read: ({ workspace }) => scanType('OFFER', { workspace }),
  schema: Offer,
  row: ({ id, status, recipient_email, attempts, created, updated }) => ({
    id,
    status,
    recipient: recipient_email,
    attempts,
    created,
    updated,
  }),
  example: 'offer list --workspace wsp_demo',
});

const show = serve(
  new Command('show')
    .description('Show an offer with its delivery attempts, and who made them.')
    .argument('<id>', 'its id, ofr_…', argument(OfferId))
    .addHelpText('after', examples('offer show ofr_sent')),
  async (_, __, id) => {
    const { workspace, offer, author, attempts } = await loadOffer(id);
    const rows = attempts.map(({ id, status, reason, created, updated, message_id, author }) => ({
      id,
      status,
      reason,
      created,
      updated,
      message: message_id,
      by: author.actor,
      'request id': author.request,
    }));
    const values = { ...offerFacts(offer), workspace, 'created by': author.actor };
    return {
      value: { workspace, ...offer, author, attempts },
      text: () => factsWith(values, 'delivery attempt', rows),
    };
  },
);

const idempotencyKey = argument(
  z.string().check(z.regex(idempotencyKeyPattern)),
  `A key is ${idempotencyKeyForm}.`,
);

const send = serve(
  new Command('send')
    .description('Send a draft to its recipient for the first time.')
    .argument('<id>', 'the id of the offer, ofr_…', argument(OfferId))
    .requiredOption(
      '--key <key>',
      'identifies this delivery: a second run with the same key sends nothing',
      idempotencyKey,
    )
    .addHelpText(
      'after',
      `\nThe key is remembered for ${idempotencyKeyDays} days, per workspace. Sending again is POST /v1/offers/{id}/resend.
${examples('offer send ofr_draft --key send-ofr_draft')}`,
    ),
  async ({ operator }, { key }, id) => {
    const { offer, replayed } = await sendOffer(id, key, await operator());
    if (replayed) console.error('This key was used before: nothing was sent now.');
    return { value: offer, text: () => facts(offerFacts(offer)) };
  },
);

/** Imports, lists, shows and sends offers. */
export const command = group('offer', 'Offers', importing, list, show, send);

const offerFacts = (offer: PresentedOffer): Cells => {
  const { attempts, last_attempt: last } = offer.delivery;
  const lastAttempt = last && `${last.id} ${last.status}${last.reason ? ` (${last.reason})` : ''}`;
  return {
    offer: offer.id,
    recipient: offer.recipient_email,
    status: offer.status,
    attempts,
    'last attempt': lastAttempt ?? 'none',
    created: offer.created,
    updated: offer.updated,
  };
};
