import { Command, InvalidArgumentError } from 'commander';
import {
  idempotencyKeyDays,
  idempotencyKeyForm,
  idempotencyKeyPattern,
} from '../../../functions/domain/idempotency-key.ts';
import { OfferId } from '../../../functions/domain/identifiers.ts';
import {
  type DeliveryAttempt,
  Offer,
  type PresentedOffer,
} from '../../../functions/domain/offer.ts';
import { keys } from '../../../functions/store/keys.ts';
import { offerLine } from '../merge/workspace-lines.ts';
import { examples, group, type Options, withService } from '../service/command.ts';
import { byScan, listCommand, scanned } from '../service/list.ts';
import { loadOffer, type MailedAttempt, sendOffer } from '../table/offers.ts';
import { type Cells, facts, factsWith, print } from '../terminal/print.ts';
import { importRules, workspaceImport } from './importing.ts';

const importing = workspaceImport(offerLine)
  .description('Import offers from a JSON Lines or CSV file. This sends nothing.')
  .addHelpText(
    'after',
    `
A line has an id and a recipient_email, and may have a status (default: draft) and created.
${importRules}
${examples('offer import offers.jsonl --workspace wsp_demo')}

  {"id":"ofr_1","recipient_email":"amara@example.com"}

  id,recipient_email
  ofr_1,amara@example.com`,
  );

const list = listCommand({
  nouns: 'offers',
  of: '--workspace <id>',
  order: byScan,
  id: OfferId,
  read: (options) => scanned('OFFER', Offer, keys.offer, options),
  row: ({ id, status, recipient_email: recipient, attempts, created, updated }) => ({
    id,
    status,
    recipient,
    attempts,
    created,
    updated,
  }),
  example: 'offer list --workspace wsp_demo',
});

const show = new Command('show')
  .description('Show an offer with its delivery attempts.')
  .argument('<id>', 'its id, ofr_…')
  .addHelpText('after', examples('offer show ofr_sent'))
  .action(
    withService(async (_, options: Options, id: string) => {
      const { workspace, offer, attempts } = await loadOffer(id);
      print(options.json, { workspace, ...offer, attempts }, () =>
        factsWith(offerFacts(workspace, offer), 'delivery attempt', attempts.map(attemptRow)),
      );
    }),
  );

const idempotencyKey = (text: string): string => {
  if (!idempotencyKeyPattern.test(text)) {
    throw new InvalidArgumentError(`A key is ${idempotencyKeyForm}.`);
  }
  return text;
};

const send = new Command('send')
  .description('Send a draft to its recipient for the first time.')
  .argument('<id>', 'the id of the offer, ofr_…')
  .requiredOption(
    '--key <key>',
    'identifies this delivery: a second run with the same key sends nothing',
    idempotencyKey,
  )
  .addHelpText(
    'after',
    `\nThe key is remembered for ${idempotencyKeyDays} days, per workspace. Sending again is POST /v1/offers/{id}/resend.
${examples('offer send ofr_draft --key send-ofr_draft')}`,
  )
  .action(
    withService(async ({ operator }, options: Options & { key: string }, id: string) => {
      const { offer, replayed } = await sendOffer(id, options.key, await operator());
      print(options.json, offer, () => facts(offerFacts(undefined, offer)));
      if (replayed) console.error('This key was used before: nothing was sent now.');
    }),
  );

/** Imports, lists, shows and sends offers. */
export const command = group('offer', 'Offers', importing, list, show, send);

const offerFacts = (workspace: string | undefined, offer: PresentedOffer): Cells => {
  const { attempts, last_attempt } = offer.delivery;
  return {
    offer: offer.id,
    ...(workspace && { workspace }),
    recipient: offer.recipient_email,
    status: offer.status,
    attempts,
    'last attempt': last_attempt ? lastAttempt(last_attempt) : 'none',
    created: offer.created,
    updated: offer.updated,
  };
};

const lastAttempt = ({ id, status, reason }: Pick<DeliveryAttempt, 'id' | 'status' | 'reason'>) =>
  `${id} ${status}${reason ? ` (${reason})` : ''}`;

const attemptRow = ({ message_id, ...attempt }: MailedAttempt): Cells => {
  const { id, status, reason, created, updated } = attempt;
  return { id, status, reason, created, updated, message: message_id };
};
