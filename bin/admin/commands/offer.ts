import { Command } from '@commander-js/extra-typings';
import { OfferId } from '../../../functions/domain/identifiers.ts';
import { Offer } from '../../../functions/domain/offer.ts';
import { factsWith } from '../../command-line/print.ts';
import { argument, examples, group, serve } from '../service/command.ts';
import { importCommand } from '../service/import.ts';
import { listCommand } from '../service/list.ts';
import { loadOfferPartition } from '../table/offers.ts';

const importing = importCommand({
  noun: 'offer',
  defaults: {},
  send: 'mail the offers that are sent and were never mailed',
  help: `
A line has id, version, recipient_email and status, and may have created (default: now). Without --send a new
offer that is sent is not mailed, and a line that makes a draft sent is a fault.`,
  json: '{"id":"ofr_1","version":1,"recipient_email":"amara@example.com","status":"draft"}',
  columns: 'id,version,recipient_email,status',
  row: 'ofr_1,1,amara@example.com,draft',
});

const list = listCommand({
  noun: 'offer',
  of: 'workspace',
  schema: Offer,
  shown: ['id', 'status', 'recipient_email', 'attempts', 'created', 'updated'],
  example: 'offer list --workspace wsp_demo',
});

const show = serve(
  new Command('show')
    .description('Show an offer with its delivery attempts, and who made them.')
    .argument('<id>', 'its id, ofr_…', argument(OfferId)),
  examples('offer show ofr_sent'),
  async (_, __, id) => {
    const { offer, attempts, ...rest } = await loadOfferPartition(id);
    const value = { ...offer, ...rest };
    return {
      value: { ...value, attempts },
      text: () => factsWith(value, 'delivery attempt', attempts),
    };
  },
);

export const command = group('offer', 'Offers', importing, list, show);
