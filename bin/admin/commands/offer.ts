import { Command } from '@commander-js/extra-typings';
import { OfferId } from '../../../functions/domain/identifiers.ts';
import { Offer, type PresentedOffer } from '../../../functions/domain/offer.ts';
import { type Cells, factsWith } from '../../command-line/print.ts';
import { argument, examples, group, serve } from '../service/command.ts';
import { importCommand } from '../service/import.ts';
import { byScan, listCommand } from '../service/list.ts';
import { loadOffer } from '../table/offers.ts';
import { scanType } from '../table/scan.ts';
import { lastChange } from '../table/shapes.ts';

const importing = importCommand({
  noun: 'offer',
  member: 'offer',
  required: ['id', 'recipient_email'],
  defaults: {},
  initial: (isSending) => ({ status: isSending ? 'sent' : 'draft' }),
  changing: ['status'],
  send: 'mail the new offers that are sent, which is the status of lines without one',
  help: `
A line has an id and a recipient_email, and may have a status (default: draft) and created. A draft that a
higher version makes sent is mailed; a new offer that is sent is mailed only with --send.`,
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
    const { workspace, version, changed, offer, author, attempts } = await loadOffer(id);
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
    const change = lastChange({ version, changed });
    const values = { ...offerFacts(offer), workspace, 'created by': author.actor, ...change };
    return {
      value: { workspace, ...offer, version, changed, author, attempts },
      text: () => factsWith(values, 'delivery attempt', rows),
    };
  },
);

/** Imports, lists and shows offers. */
export const command = group('offer', 'Offers', importing, list, show);

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
