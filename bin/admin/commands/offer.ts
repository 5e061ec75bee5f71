import { Command, InvalidArgumentError, Option } from 'commander';
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
import {
  type BounceType,
  bounceTypes,
  type MailEventName,
  mailEvents,
  publishMailEvent,
} from '../events/ses-event.ts';
import { examples, group, type Options, withService } from '../service/command.ts';
import { byScan, listCommand, scanned } from '../service/list.ts';
import { type LoadedOffer, loadOffer, type MailedAttempt, sendOffer } from '../table/offers.ts';
import { AdminError, required, UsageError } from '../terminal/admin-error.ts';
import { type Cells, facts, factsWith, print } from '../terminal/print.ts';
import { importRules, workspaceImport } from '../transfer/report-import.ts';
import { offerLine } from '../transfer/workspace-lines.ts';

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

interface MailEventOptions extends Options {
  readonly event: MailEventName;
  readonly bounceType?: BounceType;
  readonly delivery?: string;
}

/** Stands in for SES: the local run has a mailbox, but no recipients. */
const mailEvent = new Command('mail-event')
  .description("Report the end of an offer's mail, as SES would. For the local run only.")
  .argument('<id>', 'the id of the offer, ofr_…')
  .addOption(
    new Option('--event <event>', 'what SES reports').choices(mailEvents).makeOptionMandatory(),
  )
  .addOption(
    new Option('--bounce-type <type>', 'how it bounced (permanent unless given)').choices(
      bounceTypes,
    ),
  )
  .option('--delivery <id>', "the delivery attempt, dlv_… (default: the offer's last one)")
  .addHelpText(
    'after',
    `\nThe event takes the same way as one of SES: event bus, rule, queue, consumer. On a deployed stage,
send an offer to an address of SES's mailbox simulator instead.
${examples(
  'offer mail-event ofr_sent --event delivered',
  'offer mail-event ofr_sent --event bounced --bounce-type transient',
)}`,
  )
  .hook('preAction', (command) => {
    const { stage, event, bounceType } = command.optsWithGlobals<MailEventOptions>();
    if (stage) throw new AdminError(simulator);
    if (bounceType && event !== 'bounced') {
      throw new UsageError('--bounce-type belongs to --event bounced.');
    }
  })
  .action(
    withService(async (service, options: MailEventOptions, id: string) => {
      const { event, bounceType = 'permanent', json } = options;
      const configurationSet = required(
        service.mailConfigurationSet,
        'The stack has no output MailConfigurationSet.',
      );
      const loaded = await loadOffer(id);
      const attempt = chooseAttempt(loaded, options.delivery);
      const { workspace, offer } = loaded;
      const recipient = offer.recipient_email;
      const report = { event, bounceType, workspace, attempt, recipient, configurationSet };
      const { eventId, detailType } = await publishMailEvent(service, report);
      const sent = { event_id: eventId, detail_type: detailType, delivery: attempt.id };
      print(json, sent, () => `${detailType}: ${attempt.id}, event ${eventId}.`);
      console.error(`\`npm run admin -- offer show ${id}\` shows it in a moment.`);
    }),
  );

/** Imports, lists, shows and sends offers, and simulates events of their mails. */
export const command = group('offer', 'Offers', importing, list, show, send, mailEvent);

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

const simulator =
  'On a deployed stage SES itself says what became of a mail. Send an offer to its mailbox simulator: to success@simulator.amazonses.com, bounce@simulator.amazonses.com or complaint@simulator.amazonses.com.';

/** @throws AdminError when there is none, or SES has never seen its mail */
const chooseAttempt = ({ offer, attempts }: LoadedOffer, id?: string): MailedAttempt => {
  const attempt = required(
    id ? attempts.find((each) => each.id === id) : attempts.at(-1),
    id ? `${offer.id} has no delivery attempt ${id}.` : `${offer.id} has not been sent.`,
  );
  if (attempt.status === 'simulated' || attempt.status === 'failed') {
    throw new AdminError(
      `SES has no mail of ${attempt.id}: it is ${attempt.status}, and no mail was sent.`,
    );
  }
  return attempt;
};
