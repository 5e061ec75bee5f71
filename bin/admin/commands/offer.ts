import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { Author } from '../../../functions/domain/author.ts';
import {
  idempotencyKeyDays,
  idempotencyKeyForm,
  idempotencyKeyPattern,
} from '../../../functions/domain/idempotency-key.ts';
import { OfferId, WorkspaceId } from '../../../functions/domain/identifiers.ts';
import { DeliveryAttempt, Offer } from '../../../functions/domain/offer.ts';
import { offer } from '../kinds/offer.ts';
import { offerLine } from '../merge/workspace-lines.ts';
import { argument, examples, group, serve } from '../service/command.ts';
import { byScan, listCommand } from '../service/list.ts';
import { showCommand } from '../service/show.ts';
import { loadOffer, type MailedAttempt, sendOffer } from '../table/offers.ts';
import { type Cells, facts, factsWith } from '../terminal/print.ts';
import { reply } from '../terminal/report-error.ts';
import { importRules, workspaceImport } from './importing.ts';

const importing = workspaceImport(
  'Import offers from a JSON Lines or CSV file. This sends nothing.',
  `
A line has an id and a recipient_email, and may have a status (default: draft) and created.
${importRules}
${examples('offer import offers.jsonl --workspace wsp_demo')}

  {"id":"ofr_1","recipient_email":"amara@example.com"}

  id,recipient_email
  ofr_1,amara@example.com`,
  offerLine,
);

const list = listCommand({
  kind: offer,
  of: '--workspace <id>',
  order: byScan,
  element: Offer,
  columns: ['id', 'status', 'recipient_email', 'attempts', 'created', 'updated'],
  example: 'offer list --workspace wsp_demo',
});

/** An offer as the API returns it. */
const ShownOffer = z.object({
  ...z.omit(Offer, { attempts: true }).shape,
  delivery: z.object({
    attempts: Offer.shape.attempts,
    last_attempt: z.nullable(
      z.pick(DeliveryAttempt, { id: true, status: true, reason: true, created: true }),
    ),
  }),
});

const show = showCommand({
  kind: offer,
  description: 'Show an offer with its delivery attempts.',
  id: ['its id, ofr_…', OfferId],
  output: z.object({
    workspace: WorkspaceId,
    ...ShownOffer.shape,
    attempts: z.array(
      z.extend(DeliveryAttempt, { message_id: z.optional(z.string()), author: Author }),
    ),
  }),
  async find(id) {
    const { workspace, offer, attempts } = await loadOffer(id);
    return { workspace, ...offer, attempts };
  },
  text: ({ workspace, attempts, ...offer }) =>
    factsWith(offerFacts(offer, workspace), 'delivery attempt', attempts.map(attemptRow)),
  example: 'offer show ofr_sent',
});

const idempotencyKey = (text: string): string => {
  if (!idempotencyKeyPattern.test(text)) {
    throw new InvalidArgumentError(`A key is ${idempotencyKeyForm}.`);
  }
  return text;
};

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
  ShownOffer,
  async ({ operator }, { key }, id) => {
    const { offer, replayed } = await reply(
      'The same command sends the offer once, however often it is run.',
      sendOffer(id, key, await operator()),
    );
    if (replayed) console.error('This key was used before: nothing was sent now.');
    return { value: offer, text: () => facts(offerFacts(offer)) };
  },
);

/** Imports, lists, shows and sends offers. */
export const command = group('offer', 'Offers', importing, list, show, send);

const offerFacts = (offer: z.infer<typeof ShownOffer>, workspace?: string): Cells => {
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
