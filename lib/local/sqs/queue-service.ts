import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { account, queueArn } from '../aws-account.ts';
import type { Template } from '../cloudformation/template.ts';
import type { MessageAttributes } from './message-attributes.ts';
import { invalidValue, sqsError } from './sqs-error.ts';

export interface QueueSettings {
  readonly name: string;
  readonly visibilityTimeoutMs: number;
  /** Its RedrivePolicy. */
  readonly redrive?: { readonly deadLetterTargetArn: string; readonly maxReceiveCount: number };
}

/** Reads the template's queues. Their default is SQS's. */
export const readQueues = (template: Template): QueueSettings[] =>
  template.read('AWS::SQS::Queue', ({ name, properties }) => {
    const { VisibilityTimeout = 30, RedrivePolicy: redrive } = properties;
    return { name, visibilityTimeoutMs: VisibilityTimeout * 1000, redrive };
  });

export interface NewMessage {
  readonly body: string;
  readonly attributes?: MessageAttributes | undefined;
  readonly groupId?: string | undefined;
  /** After this time it can be received. */
  readonly delayMs?: number;
}

/** A message as its last receive returned it. Times are in milliseconds since the epoch. */
export interface Message extends NewMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly sentMs: number;
  readonly firstReceivedMs: number;
  /** Including this receive. */
  readonly receives: number;
  /** The queue that gave the message up, if it was moved to a dead-letter queue. */
  readonly deadLetterSource?: string;
  /** When it can be received again. */
  readonly visibleMs: number;
}

/** What became of messages that were moved out of a dead-letter queue. */
export interface MoveTask {
  /** Without one, each message goes back to the queue that gave it up. */
  readonly destination: string | undefined;
  readonly startedMs: number;
  readonly moved: number;
  readonly failure?: string;
}

interface Queue {
  readonly settings: QueueSettings;
  /** By their ids, in the order in which they were sent. */
  readonly messages: Map<string, Message>;
  /** Newest first. */
  readonly moves: MoveTask[];
}

type DeadLetterListener = (message: Message, queue: string, deadLetterQueue: string) => void;

const pollIntervalMs = 50;

/** Standard queues with the semantics of SQS, in memory. Nothing in them expires. */
export class QueueService {
  readonly #now: () => number;
  readonly #onDeadLetter: DeadLetterListener;
  readonly #queues = new Map<string, Queue>();

  /** @param now the clock that makes messages visible */
  constructor(now: () => number = Date.now, onDeadLetter: DeadLetterListener = () => {}) {
    this.#now = now;
    this.#onDeadLetter = onDeadLetter;
  }

  /** Makes the queue known, or gives it new settings; the messages it already has stay. */
  create(settings: QueueSettings): void {
    const { messages = new Map(), moves = [] } = this.#queues.get(settings.name) ?? {};
    this.#queues.set(settings.name, { settings, messages, moves });
  }

  /** Forgets the queue with its messages. */
  remove(queue: string): void {
    this.#queue(queue);
    this.#queues.delete(queue);
  }

  names(): string[] {
    return [...this.#queues.keys()];
  }

  /** The name of the queue that has the ARN, if there is one. */
  withArn(arn: unknown): string | undefined {
    return this.names().find((name) => queueArn(name) === arn);
  }

  /** @throws ServiceError `QueueDoesNotExist` */
  settings(queue: string): QueueSettings {
    return this.#queue(queue).settings;
  }

  send(queue: string, { delayMs = 0, ...message }: NewMessage): { messageId: string } {
    const now = this.#now();
    const messageId = randomUUID();
    const sent: Message = {
      ...message,
      messageId,
      receiptHandle: '',
      sentMs: now,
      firstReceivedMs: now,
      receives: 0,
      visibleMs: now + delayMs,
    };
    this.#queue(queue).messages.set(messageId, sent);
    // A consumer makes dead letters too.
    const source = this.#sourceOf(queue);
    if (source) this.#onDeadLetter(sent, source, queue);
    return { messageId };
  }

  /**
   * Resolves with up to `maximum` messages, as soon as there is one; with none after `waitMs`, or
   * when `signal` aborts. They are hidden for `hideMs`, or else for the queue's time.
   */
  async receive(
    queue: string,
    options: { maximum: number; waitMs?: number; hideMs?: number; signal?: AbortSignal },
  ): Promise<Message[]> {
    const { maximum, waitMs = 0, hideMs, signal } = options;
    // The wait runs on real time and polls, because a message can also become visible when a test
    // advances the other clock, which sends no notification.
    const endsAt = performance.now() + waitMs;
    while (!signal?.aborted) {
      const messages = this.#take(this.#queue(queue), maximum, hideMs);
      const remainingMs = endsAt - performance.now();
      if (messages.length > 0 || remainingMs <= 0) return messages;
      await sleep(Math.min(pollIntervalMs, remainingMs));
    }
    return [];
  }

  /**
   * Deletes the message that this receipt handle was given for. A handle from an older receive
   * deletes nothing and still succeeds, as on SQS: a later receiver must be able to fail and
   * receive it again. A handle outlives its visibility timeout until another receive.
   */
  delete(queue: string, receiptHandle: string): void {
    const { messages } = this.#queue(queue);
    const message = received(messages, receiptHandle);
    if (message) messages.delete(message.messageId);
  }

  /** @throws ServiceError `MessageNotInflight` when the receive behind the handle is over */
  changeVisibility(queue: string, receiptHandle: string, visibilityTimeoutMs: number): void {
    const { messages } = this.#queue(queue);
    const message = received(messages, receiptHandle);
    const now = this.#now();
    if (!message || message.visibleMs <= now) {
      throw sqsError('MessageNotInflight', 'The message is not in flight.');
    }
    messages.set(message.messageId, { ...message, visibleMs: now + visibilityTimeoutMs });
  }

  /** How many messages can be received, and how many are hidden: delayed ones too. */
  attributes(queue: string): { visible: number; inFlight: number } {
    const now = this.#now();
    const all = [...this.#queue(queue).messages.values()];
    const inFlight = all.filter(({ visibleMs }) => visibleMs > now).length;
    return { visible: all.length - inFlight, inFlight };
  }

  /**
   * Moves what can be received out of a dead-letter queue, at once. Each gets a new id and a new
   * age, as in "Dead-letter queue redrive" (SQS Developer Guide).
   *
   * @throws ServiceError when no queue has it as its dead-letter queue
   */
  move(source: string, destination?: string): void {
    const { messages, moves } = this.#queue(source);
    if (!this.#sourceOf(source)) {
      throw invalidValue('Source queue must be configured as a Dead Letter Queue.');
    }
    const startedMs = this.#now();
    const due = [...messages.values()].filter(({ visibleMs }) => visibleMs <= startedMs);
    const failure = 'CouldNotDetermineMessageSource';
    for (const [moved, message] of due.entries()) {
      const { messageId, body, attributes, groupId, deadLetterSource } = message;
      const to = destination ?? deadLetterSource;
      if (to === undefined) return void moves.unshift({ destination, startedMs, moved, failure });
      messages.delete(messageId);
      this.send(to, { body, attributes, groupId });
    }
    moves.unshift({ destination, startedMs, moved: due.length });
  }

  moves(queue: string): readonly MoveTask[] {
    return this.#queue(queue).moves;
  }

  purge(queue: string): void {
    this.#queue(queue).messages.clear();
  }

  /** The queue whose dead letters another one holds. */
  #sourceOf(deadLetterQueue: string): string | undefined {
    const all = this.#queues.values();
    const arn = queueArn(deadLetterQueue);
    return all.find(({ settings }) => settings.redrive?.deadLetterTargetArn === arn)?.settings.name;
  }

  #queue(name: string): Queue {
    const queue = this.#queues.get(name);
    if (queue) return queue;
    throw sqsError('QueueDoesNotExist', 'The specified queue does not exist.');
  }

  #take({ settings, messages }: Queue, maximum: number, hideMs?: number): Message[] {
    const now = this.#now();
    const taken: Message[] = [];
    for (const message of messages.values()) {
      if (taken.length === maximum) break;
      if (message.visibleMs > now || this.#redrive(settings, message)) continue;
      const next = {
        ...message,
        receiptHandle: randomUUID(),
        receives: message.receives + 1,
        firstReceivedMs: message.receives === 0 ? now : message.firstReceivedMs,
        visibleMs: now + (hideMs ?? settings.visibilityTimeoutMs),
      };
      messages.set(message.messageId, next);
      taken.push(next);
    }
    return taken;
  }

  /**
   * SQS moves a message when it would be received once too often, not when its last visibility
   * timeout ends. It keeps its id, its age and its receive count there.
   */
  #redrive({ name, redrive }: QueueSettings, message: Message): boolean {
    if (redrive === undefined || message.receives < redrive.maxReceiveCount) return false;
    const { messageId } = message;
    const deadLetterQueue = this.withArn(redrive.deadLetterTargetArn);
    // It comes again if that has been deleted.
    if (deadLetterQueue === undefined) return false;
    this.#queue(name).messages.delete(messageId);
    this.#queue(deadLetterQueue).messages.set(messageId, { ...message, deadLetterSource: name });
    this.#onDeadLetter(message, name, deadLetterQueue);
    return true;
  }
}

const received = (
  messages: ReadonlyMap<string, Message>,
  receiptHandle: string,
): Message | undefined =>
  messages.values().find((message) => message.receiptHandle === receiptHandle);

/** What SQS says of a message besides what its sender gave. */
export const systemAttributesOf = (message: Message) => ({
  ApproximateReceiveCount: String(message.receives),
  SentTimestamp: String(message.sentMs),
  SenderId: account,
  ApproximateFirstReceiveTimestamp: String(message.firstReceivedMs),
  ...(message.groupId && { MessageGroupId: message.groupId }),
  ...(message.deadLetterSource && {
    DeadLetterQueueSourceArn: queueArn(message.deadLetterSource),
  }),
});
