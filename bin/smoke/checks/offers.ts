import { setTimeout as sleep } from 'node:timers/promises';
import { Offer, type PresentedOffer } from '../../../functions/domain/offer.ts';
import { loadOffer } from '../../admin/load-offer.ts';
import { publishMailEvent, requireConfigurationSet } from '../../admin/publish-mail-event.ts';
import type { MailEventName } from '../../admin/ses-event.ts';
import { requireProblem, requireSuccess } from '../call.ts';
import { type Check, requireWorld } from '../check.ts';
import { eventually, expectEqual } from '../expect.ts';
import { Failure } from '../failure.ts';
import { resendPath } from '../operations.ts';
import { simulatorFates } from '../simulator.ts';
import { newOffer, type World } from '../world.ts';

const limitMs = 60_000;
/** An account in the SES sandbox sends one mail a second; others come back to the queue for minutes. */
const spacingMs = 2000;

/** Waits until SES has the mail. Where nobody receives mail, it publishes the event in the place of SES. */
const waitUntilMailed = async (world: World, id: string, fate: MailEventName): Promise<void> => {
  const { workspace, attempts, offer } = await eventually(
    `The mail of ${id} is not sent`,
    limitMs,
    async () => {
      const found = await loadOffer(id);
      const { status, reason } = found.attempts.at(-1) ?? {};
      if (status === 'failed')
        throw new Failure(`SES refused the mail: ${reason}. Is the sender verified?`);
      return status === 'queued' || status === 'sending' ? undefined : found;
    },
  );
  const [attempt] = attempts;
  if (world.deployed || !attempt) return;
  await publishMailEvent(world.service, {
    event: fate,
    bounceType: 'permanent',
    workspace,
    attempt,
    recipient: offer.recipient_email,
    configurationSet: requireConfigurationSet(world.service),
  });
};

const reports: Readonly<Record<MailEventName, string>> = {
  delivered: 'delivery',
  bounced: 'bounce',
  complained: 'complaint',
};

/** A check for each end of a mail that the mailbox simulator brings about. */
export const mailChecks: readonly Check[] = [...simulatorFates].map(([address, fate], index) => ({
  name: `mail-${fate}`,
  proves: `the ${reports[fate]} that SES reports of a mail is recorded`,
  run: async (context) => {
    const { call } = context;
    const world = requireWorld(context);
    if (world.deployed) await sleep(index * spacingMs);
    const { id } = await newOffer(world, world.live, { recipient_email: address });
    const answer = await call('POST', resendPath(id), { token: world.live.token });
    const { delivery } = requireSuccess<PresentedOffer>(answer, 200);
    expectEqual('Its attempts', delivery.attempts, 1);
    expectEqual('The status of its attempt', delivery.last_attempt?.status, 'queued');
    await waitUntilMailed(world, id, fate);
    await eventually(`The mail of ${id} is not recorded as ${fate}`, limitMs, async () => {
      const { attempts } = await loadOffer(id);
      return attempts.at(-1)?.status === fate ? true : undefined;
    });
    return world.deployed ? address : 'with an event in the place of SES';
  },
}));

/** Which offers are sent again. */
export const offers: readonly Check[] = [
  {
    name: 'offer_not_sent',
    proves: 'only an offer that has been sent is sent again',
    run: async (context) => {
      const { call } = context;
      const world = requireWorld(context);
      const { test } = world;
      const statuses = Offer.shape.status.options.filter((status) => status !== 'sent');
      for (const status of statuses) {
        const { id } = await newOffer(world, test, { status });
        requireProblem(await call('POST', resendPath(id), { token: test.token }), 'offer_not_sent');
      }
      return undefined;
    },
  },
];
