import { setTimeout as sleep } from 'node:timers/promises';
import { attemptOf, mailsIn } from '../../bin/reference/mails.ts';
import type { FaultyService } from '../support/faulty-service.ts';
import { isSuccess } from '../support/keyed-operations.ts';
import {
  intentOf,
  messageOf,
  newCompany,
  sendStep,
  type TakenStep,
  takeStep,
  waitUntilIdle,
} from './companies.ts';
import { fromStream, type History, type RecordStep, ruleOf, services } from './history.ts';
import {
  type DeliveredMail,
  droppedBy,
  eventIds,
  type PublishedEvent,
  readCompany,
  violations,
  wrongRefusals,
} from './verdict.ts';

/**
 * Runs one history: all clients at once while things go wrong, then the rest of the retries, until
 * nothing moves any more; and holds what is left against the responses of all clients.
 *
 * @returns what must hold and does not, and the kinds of the faults that were met
 */
export const runHistory = async (
  service: FaultyService,
  { steps, records = [], faults }: History,
): Promise<{ readonly violations: string[]; readonly met: string[] }> => {
  const companies = [await newCompany(), await newCompany()];
  const { url = '' } = service.stack;
  for (const fault of faults) service[fault.service].inject(ruleOf(fault, service));
  const taken: TakenStep[] = steps.map((step, index) => ({
    step,
    intent: intentOf(step, index),
    responses: [],
  }));
  const importQueue = service.queue('ImportQueue');
  const send = async (record: RecordStep): Promise<void> => {
    await sleep(record.startAfterMs);
    service.stack.queues.send(importQueue, { body: messageOf(companies, record) });
  };
  const clients = taken.map((each) => takeStep(url, companies, each));
  await Promise.all([...clients, ...records.map(send)]);
  const met: string[] = [];
  const clear = (name: (typeof services)[number]) => met.push(...service[name].clear().met);
  for (const name of services) if (!fromStream.includes(name)) clear(name);

  // Some clients give up; the others go on until they have a response, once a dead one's lease is
  // over.
  service.passTime();
  for (const { step, responses } of taken) {
    if (step.key === null || step.retries === 0) continue;
    const isOver = () => responses.some((each) => isSuccess(each) || each.status === 412);
    for (let tries = 0; tries < 200 && !isOver(); tries++) {
      responses.push(await sendStep(url, companies, step));
      // Time stands still while a consumer is at work; a lease is over only after that.
      await sleep(25);
      service.passTime();
    }
  }
  let aftermaths = await Promise.all(companies.map(readCompany));
  await waitUntilIdle(service, async () => {
    aftermaths = await Promise.all(companies.map(readCompany));
    const queued = service.stack.queues
      .names()
      .filter((name) => !name.includes('DeadLetters'))
      .map((name) => service.stack.queues.attributes(name))
      .some(({ visible, inFlight }) => visible + inFlight > 0);
    const unfinished = aftermaths.some(
      ({ offers, sandboxes }) =>
        sandboxes.some(({ status }) => status !== 'ready') ||
        offers.some(({ attempts }) =>
          attempts.some(({ status }) => status === 'queued' || status === 'sending'),
        ),
    );
    const published = new Set(eventsOf(service).map(({ id }) => id));
    const unpublished = aftermaths.flatMap(eventIds).some((id) => !published.has(id));
    return queued || unfinished || unpublished;
  });
  fromStream.forEach(clear);
  const letters = service.queue('ImportDeadLetters');
  const refused = await service.stack.queues.receive(letters, {
    maximum: Number.POSITIVE_INFINITY,
  });
  service.stack.queues.purge(letters);
  const unnoticed = records.flatMap((record) => {
    const body = messageOf(companies, record);
    const isRefused = refused.some((each) => each.body === body);
    return isRefused ? [] : droppedBy(aftermaths, record);
  });
  const mails = await mailsOf(service.stack.mailbox);
  const events = eventsOf(service);
  service.events.length = 0;
  const { true: refusals = [], false: effects = [] } = Object.groupBy(events, ({ type }) =>
    String(type === 'record.refused'),
  );
  const wrong = violations(companies, aftermaths, taken, mails, effects);
  // One that SQS itself has moved after twenty receives names none.
  const named = refused.flatMap(({ attributes }) => attributes?.message_id?.StringValue ?? []);
  return { violations: [...wrong, ...unnoticed, ...wrongRefusals(named, refusals)], met };
};

const eventsOf = ({ events }: FaultyService) =>
  events.map(({ detail }) => detail as PublishedEvent);

/** Takes the mails out of the mailbox, so that it holds one history's at a time. */
const mailsOf = async (mailbox: string): Promise<DeliveredMail[]> => {
  const mails = await mailsIn(mailbox);
  await fetch(`${mailbox}/clear-store`, { method: 'POST' });
  return mails.map((mail) => ({ to: mail.destination.to[0] ?? '', attempt: attemptOf(mail) }));
};
