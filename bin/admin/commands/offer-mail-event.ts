import { Command, Option } from 'commander';
import {
  type BounceType,
  bounceTypes,
  type MailEventName,
  mailEvents,
  publishMailEvent,
  requireConfigurationSet,
} from '../events/ses-event.ts';
import { examples, type Options, withService } from '../service/command.ts';
import { type LoadedOffer, loadOffer, type MailedAttempt } from '../table/offers.ts';
import { AdminError, UsageError } from '../terminal/admin-error.ts';
import { print } from '../terminal/print.ts';

interface MailEventOptions extends Options {
  readonly event: MailEventName;
  readonly bounceType?: BounceType;
  readonly delivery?: string;
}

/** Stands in for SES: the local run has a mailbox, but no recipients. */
export const offerMailEvent = new Command('mail-event')
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
      const configurationSet = requireConfigurationSet(service);
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

const simulator =
  'On a deployed stage SES itself says what became of a mail. Send an offer to its mailbox simulator: to success@simulator.amazonses.com, bounce@simulator.amazonses.com or complaint@simulator.amazonses.com.';

/** @throws AdminError when there is none, or SES has never seen its mail */
const chooseAttempt = ({ offer, attempts }: LoadedOffer, id?: string): MailedAttempt => {
  const attempt = id ? attempts.find((each) => each.id === id) : attempts.at(-1);
  if (!attempt) {
    throw new AdminError(
      id ? `${offer.id} has no delivery attempt ${id}.` : `${offer.id} has not been sent.`,
    );
  }
  if (attempt.status === 'simulated' || attempt.status === 'failed') {
    throw new AdminError(
      `SES has no mail of ${attempt.id}: it is ${attempt.status}, and no mail was sent.`,
    );
  }
  return attempt;
};
