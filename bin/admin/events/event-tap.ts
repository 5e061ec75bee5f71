import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteRuleCommand,
  DescribeReplayCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
  StartReplayCommand,
} from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import { type Event, eventSource } from '../../../functions/domain/events.ts';
import { TerminalLine } from '../../terminal-line.ts';
import type { Service } from '../service/connect.ts';
import { AdminError, required } from '../terminal/admin-error.ts';

/** What the functions here need of a service. */
export type EventService = Pick<Service, 'sqs' | 'eventBridge' | 'eventBus' | 'eventArchive'>;

const waitS = 2;

/**
 * Opens a tap: a rule on the bus and a queue that receives its events, until `close` removes both.
 *
 * @param live whether new events come too, or only those of replays
 * @param name of the rule and of the queue; no two taps may share it
 * @returns among others `receive`: the events that have arrived, none after so many seconds (two
 * unless given) without one
 * @throws AdminError when the service has no bus
 */
export const openEventTap = async (
  service: EventService,
  live: boolean,
  name = `events-command-${randomUUID()}`,
) => {
  const bus = busOf(service);
  const ruleArn = ruleArnOf(bus, name);
  const queue = await createQueue(service, name, ruleArn);
  const close = () => closeEventTap(service, name);
  try {
    await createRule(service, name, queue.arn, live);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ruleArn,
    receive: (seconds?: number, signal?: AbortSignal) =>
      receive(service, queue.url, seconds, signal),
    close,
  };
};

const createQueue = async (service: EventService, name: string, ruleArn: string) => {
  // arn:aws:events:<region>:<account>:event-bus/<name>
  const [, partition, , region, account] = busOf(service).split(':');
  const arn = `arn:${partition}:sqs:${region}:${account}:${name}`;
  const { QueueUrl: url = '' } = await service.sqs.send(
    new CreateQueueCommand({
      QueueName: name,
      Attributes: {
        // A slow handler may take hours for what a replay sends at once. If the command is killed,
        // its queue stays; its messages expire.
        MessageRetentionPeriod: '86400',
        SqsManagedSseEnabled: 'true',
        Policy: JSON.stringify({
          Version: '2012-10-17',
          Statement: {
            Effect: 'Allow',
            Principal: { Service: 'events.amazonaws.com' },
            Action: 'sqs:SendMessage',
            Resource: arn,
            Condition: { ArnEquals: { 'aws:SourceArn': ruleArn } },
          },
        }),
      },
    }),
  );
  return { url, arn };
};

const createRule = async (
  service: EventService,
  name: string,
  queueArn: string,
  live: boolean,
): Promise<void> => {
  const EventBusName = nameOf(busOf(service));
  await service.eventBridge.send(
    new PutRuleCommand({
      EventBusName,
      Name: name,
      Description: 'Of npm run admin -- events; delete it if no such command runs',
      EventPattern: JSON.stringify({
        source: [eventSource],
        ...(!live && { 'replay-name': [{ exists: true }] }),
      }),
    }),
  );
  const Targets = [{ Id: name, Arn: queueArn }];
  await service.eventBridge.send(new PutTargetsCommand({ EventBusName, Rule: name, Targets }));
};

const receive = async (
  { sqs }: EventService,
  QueueUrl: string,
  WaitTimeSeconds = waitS,
  abortSignal?: AbortSignal,
): Promise<Event[]> => {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds }),
    { ...(abortSignal && { abortSignal }) },
  );
  if (Messages.length === 0) return [];
  const Entries = Messages.map(({ ReceiptHandle }, index) => ({
    Id: String(index),
    ReceiptHandle,
  }));
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  return Messages.map(({ Body = '' }) => JSON.parse(Body).detail);
};

/** Removes the rule and the queue of a tap, if they exist: its process may have been killed. */
export const closeEventTap = async (service: EventService, name: string): Promise<void> => {
  const { sqs, eventBridge } = service;
  const EventBusName = nameOf(busOf(service));
  const remove = (removal: Promise<unknown>) =>
    removal.catch((error: Error) => {
      if (!['ResourceNotFoundException', 'QueueDoesNotExist'].includes(error.name)) throw error;
    });
  await remove(
    eventBridge.send(new RemoveTargetsCommand({ EventBusName, Rule: name, Ids: [name] })),
  );
  await remove(eventBridge.send(new DeleteRuleCommand({ EventBusName, Name: name })));
  await remove(
    sqs
      .send(new GetQueueUrlCommand({ QueueName: name }))
      .then(({ QueueUrl }) => sqs.send(new DeleteQueueCommand({ QueueUrl }))),
  );
};

/** A span of time whose archived events are read. */
export interface ReplaySpan {
  readonly since: Date;
  /** The time of the call, unless given. */
  readonly until?: Date | undefined;
}

/**
 * Starts a replay for one rule.
 *
 * @returns whether it still goes on, to be asked until it does not
 * @throws AdminError when the service has no archive
 */
export const startReplay = async (
  service: EventService,
  { since, until = new Date() }: ReplaySpan,
  ruleArn: string,
): Promise<() => Promise<boolean>> => {
  const bus = busOf(service);
  const ReplayName = `admin-${randomUUID()}`;
  await service.eventBridge.send(
    new StartReplayCommand({
      ReplayName,
      EventSourceArn: required(service.eventArchive, 'The service has no archive of events.'),
      // Events have times in whole seconds.
      EventStartTime: new Date(Math.floor(since.getTime() / 1000) * 1000),
      EventEndTime: until,
      Destination: { Arn: bus, FilterArns: [ruleArn] },
    }),
  );
  return async () => {
    const { State, StateReason } = await service.eventBridge.send(
      new DescribeReplayCommand({ ReplayName }),
    );
    if (State === 'FAILED') throw new AdminError(`The replay failed: ${StateReason}.`);
    if (State === 'COMPLETED' || State === 'CANCELLED') return false;
    await sleep(1000);
    return true;
  };
};

/** Which events are read. */
export interface Reading {
  /** The archived events of this span. */
  readonly span?: ReplaySpan | undefined;
  /** Whether new events are read too, without an end. */
  readonly live?: boolean;
  /** Called when the first events can arrive. */
  readonly onOpen?: () => void;
  /** Ends the reading at once. */
  readonly signal?: AbortSignal;
}

/**
 * The events of the archive or the bus, some at a time, as they arrive; consumers notice nothing.
 * A reading of the archive waits for `eventDelays` of the service, so that it misses none.
 *
 * @throws AdminError when the service has no bus, or no archive for the span
 */
export async function* readEvents(
  service: EventService & Pick<Service, 'eventDelays'>,
  { span, live = false, onOpen, signal = new AbortController().signal }: Reading,
): AsyncGenerator<Event[]> {
  const { ruleMs, lastPollS } = service.eventDelays;
  const tap = await openEventTap(service, live);
  try {
    await waitForRule(ruleMs, signal);
    onOpen?.();
    const isReplaying = span && (await startReplay(service, span, tap.ruleArn));
    let replaying = isReplaying !== undefined;
    while (!signal.aborted) {
      replaying = replaying && isReplaying ? await isReplaying() : false;
      const events = await tap.receive(live || replaying ? waitS : lastPollS, signal);
      yield events;
      if (!live && !replaying && events.length === 0) return;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await tap.close();
  }
}

/** @throws AbortError at the signal */
const waitForRule = async (ms: number, signal: AbortSignal): Promise<void> => {
  const line = new TerminalLine();
  if (ms > 0) line.show(`Waiting ${ms / 1000} seconds until the rule is in effect.`);
  await sleep(ms, undefined, { signal }).finally(() => line.clear());
};

const nameOf = (busArn: string) => busArn.split('/').at(-1);

const ruleArnOf = (busArn: string, name: string) =>
  `${busArn.replace(':event-bus/', ':rule/')}/${name}`;

/** Its ARN. */
const busOf = ({ eventBus }: EventService): string =>
  required(eventBus, 'The service has no event bus. Deploy this version first.');
