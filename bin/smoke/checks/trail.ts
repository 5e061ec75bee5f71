import type { PaymentRequest } from '../../../functions/domain/payment-request.ts';
import { keys } from '../../../functions/store/keys.ts';
import { findToken } from '../../../functions/store/tokens.ts';
import { openEventTap } from '../../admin/event-tap.ts';
import { storyOf } from '../../admin/story.ts';
import { readPartition } from '../../admin/table/scan.ts';
import { requireSuccess } from '../call.ts';
import { type Check, type Context, requireWorld } from '../check.ts';
import { eventually, expectEqual } from '../expect.ts';
import { Skipped } from '../failure.ts';
import { approvePath } from '../operations.ts';
import { register, tapOf } from '../owned.ts';
import { newPaymentRequest } from '../world.ts';

/** Approves, and says under which request the approval is to be found. */
const approve = async (context: Context, id: string) => {
  const { token, manager } = requireWorld(context).live;
  const answer = await context.call('POST', approvePath(id), {
    token,
    body: { approver: manager },
  });
  const { approvals } = requireSuccess<PaymentRequest>(answer, 200);
  return { approval: approvals.at(-1), request: answer.headers.get('request-id') };
};

/** EventBridge may take a minute before it follows a new rule. */
const limitMs = 60_000;

/** Who did it, and who hears of it. */
export const trail: readonly Check[] = [
  {
    name: 'trail',
    proves: 'an approval is kept with its token and its request',
    run: async (context) => {
      const world = requireWorld(context);
      const { id } = await newPaymentRequest(world, world.live);
      const { approval, request } = await approve(context, id);
      const story = storyOf(await readPartition(keys.paymentRequest(id).pk));
      const told = story.find((each) => each.id === approval);
      const actor = (await findToken(world.live.token))?.id;
      expectEqual(
        'Its trail',
        [told?.what, told?.actor, told?.request],
        ['approved', actor, request],
      );
      return undefined;
    },
  },
  {
    name: 'events',
    proves: 'an approval is published on the bus',
    run: async (context) => {
      const world = requireWorld(context);
      if (!world.service.eventBus) throw new Skipped('The stack has no bus.');
      const { id } = await newPaymentRequest(world, world.live);
      const name = tapOf(world.run);
      await register(world.run, name);
      const tap = await openEventTap(world.service, true, name);
      try {
        const approved = new Set<unknown>();
        // Again, because a new rule misses the first events.
        await eventually('No approval is published', limitMs, async () => {
          approved.add((await approve(context, id)).approval);
          const events = await tap.receive();
          return events.find(
            ({ type, data }) =>
              type === 'payment_request.approved' && approved.has(data.approval.id),
          );
        });
      } finally {
        await tap.close();
      }
      return undefined;
    },
  },
];
