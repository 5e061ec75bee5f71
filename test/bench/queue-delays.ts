import { setTimeout as sleep } from 'node:timers/promises';
import { mailsIn } from '../../bin/reference/mails.ts';
import { routes } from '../../functions/domain/routes.ts';
import { operations } from '../../lib/openapi/operations.ts';
import { approve, create, type KeyedOperation, resend } from '../support/keyed-operations.ts';
import { sendOperation } from '../support/send-request.ts';
import { newOffer, newPaymentRequest, newTenant } from '../support/tenants.ts';
import { durationOf } from './in-turns.ts';
import type { Part } from './row.ts';
import { spreadOf } from './spread.ts';

const usualRuns = 15;
const warmUps = 10;
const lookEveryMs = 10;

/**
 * How long what follows a request takes, from the request on: stream, queue and consumer, or bus.
 */
export const queues: Part = {
  name: 'queues',
  consuming: true,
  measure: async (bench) => {
    const { url, mailbox } = bench.stack;
    bench.progress('queues: from a request to what follows from it');
    const { token, workspace, manager } = await newTenant();
    const list = { ...operations.listSandboxes, route: routes.listSandboxes };
    const ask = async <Target>(
      { route, request }: Pick<KeyedOperation<Target>, 'route' | 'request'>,
      target: Target,
    ) => {
      const { status, body, text } = await sendOperation(url ?? '', route, request(target), {
        token,
      });
      if (status !== route.status) throw new Error(`${route.functionName} answered ${text}.`);
      return body;
    };

    const createUntilReady = async () => {
      const { id } = await ask(create, { name: 'My first sandbox' });
      await until(async () => {
        const { sandboxes } = await ask(list, { limit: '1' });
        return sandboxes[0].id === id && sandboxes[0].status === 'ready';
      });
    };
    const resendUntilMailed = async () => {
      const offer = await newOffer(workspace);
      return durationOf(async () => {
        await ask(resend, offer);
        await until(async () => {
          const mails = await mailsIn(mailbox);
          return mails.some(({ destination }) => destination.to.includes(offer.recipient_email));
        });
      });
    };
    const approveUntilPublished = async () => {
      const { id } = await newPaymentRequest(workspace);
      return durationOf(async () => {
        const { approvals } = await ask(approve, { id, manager });
        const event = `evt_${approvals[0]}_approved`;
        await until(async () =>
          bench.events.some(({ detail }) => 'id' in detail && detail.id === event),
        );
      });
    };

    // The first ones start the functions, and DynamoDB Local has only just begun.
    for (let count = 0; count < warmUps; count++) {
      await createUntilReady();
      await resendUntilMailed();
      await approveUntilPublished();
    }
    const [created, mailed, published]: [number[], number[], number[]] = [[], [], []];
    for (let run = 0; run < bench.runs(usualRuns); run++) {
      created.push(await durationOf(createUntilReady));
      mailed.push(await resendUntilMailed());
      published.push(await approveUntilPublished());
    }
    return [
      { what: 'From create to ready', measured: spreadOf(created), unit: 'ms' },
      { what: 'From resend to the mail', measured: spreadOf(mailed), unit: 'ms' },
      { what: 'From approve to its event', measured: spreadOf(published), unit: 'ms' },
    ];
  },
};

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await sleep(lookEveryMs);
};
