import type { RequestLog } from './api-gateway/api-gateway.ts';
import type { EventLog } from './event-bridge/event-buses.ts';
import type { BatchLog } from './lambda/batch.ts';
import { thrownAt } from './lambda/function-error.ts';
import { parseJson } from './server/json-server.ts';
import type { Message } from './sqs/queue-service.ts';

/** `failed` needs the developer's attention; `retried` may still succeed. */
export type LineStatus = 'done' | 'retried' | 'failed';

/** Takes one line without colour, and the status of what it reports. */
export type Log = (line: string, status: LineStatus) => void;

/** Whatever a text quotes, it becomes one line that moves no cursor. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

/** How many of the functions' lines are kept until that of their request or message is printed. */
const rememberedLines = 100;

/** The log of the local run: one line for each request, message and event. */
export class LogLines {
  readonly #labels: ReadonlyMap<string, string>;
  readonly #log: Log;
  readonly #ends: (LoggedEnd & { readonly line: string })[] = [];

  /** @param labels of resources, by their names in AWS */
  constructor(labels: ReadonlyMap<string, string>, log: Log) {
    this.#labels = labels;
    this.#log = (line, status) => log(oneLine(line), status);
  }

  request({ method, path, status, durationMs, requestId, created, error }: RequestLog): void {
    const line = [method, path, status, `${durationMs} ms`, requestId, created].filter(Boolean);
    if (status < 500) this.#log(line.join(' ') + reason(error), 'done');
    else this.#log(line.join(' ') + this.#endOf(requestId, error).cause, 'failed');
  }

  event({ event: { source, 'detail-type': detailType, id }, targets }: EventLog): void {
    const names = targets.map((each) => this.label(each)).join(', ');
    const line = `${source} "${detailType}"${names && ` > ${names}`} ${id}`;
    this.#log(line, 'done');
  }

  batch(batch: BatchLog): void {
    const { source, functionName, messageIds, subjects, failed, durationMs, error } = batch;
    const head = `${this.label(source)} > ${this.label(functionName)}`;
    if (messageIds.length === 0) this.#log(head + reason(error), 'failed');
    for (const id of messageIds) {
      const end = [`${durationMs} ms`, subjects.get(id), id].filter(Boolean).join(' ');
      const { cause, refusal, result } = this.#endOf(id, error);
      if (!failed.includes(id)) this.#log(`${head} ${result} ${end}${refusal}`, 'done');
      else this.#log(`${head} failed, to be tried again ${end}${cause}`, 'retried');
    }
  }

  /** One that a consumer gives up has another id then, and names the one before. */
  deadLetter(message: Message, queue: string, deadLetterQueue: string): void {
    const { attributes, body, receives } = message;
    const before = attributes?.message_id?.StringValue ?? '';
    const id = knownId.test(before) ? before : message.messageId;
    const head = `${this.label(queue)} > ${this.label(deadLetterQueue)} given up`;
    const after = receives > 0 && `after ${receives} receives`;
    const line = [head, after, subject(body), id].filter(Boolean).join(' ');
    // What a consumer gives up says why.
    const why = receives === 0 && reason(attributes?.error?.StringValue);
    this.#log(line + (why || this.#endOf(id).refusal), 'failed');
  }

  /** Takes a line that a function has logged: only its log says how a message ended, and why. */
  remember(line: string): void {
    const end = loggedEnd(line);
    if (!end) return;
    this.#ends.push({ line, ...end });
    if (this.#ends.length > rememberedLines) this.#ends.shift();
  }

  /** What a function has logged last about a request or a message, if it has. */
  #endOf(id: string, error?: string) {
    const end = this.#ends.findLast(({ line }) => line.includes(id));
    return {
      cause: reason(end?.reason === undefined ? error : end.reason + (end.place ?? '')),
      refusal: reason(end?.reason),
      result: end?.result ?? (end?.reason ? 'given up' : 'done'),
    };
  }

  /** What the log calls a resource, by its name in AWS. */
  label(name: string): string {
    return this.#labels.get(name) ?? name;
  }
}

/** Ids of the service, and of an event. Nothing else of a message is printed. */
const knownId =
  /^((acc|apprdec|dlv|evt|ofr|ptr|rdc|sbx|tok|wsp)_[\w-]{1,110}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/;

/**
 * What a message is about: the ids at the top of its JSON, that of a record in it, or that of the
 * event that it carries. `workspace=wsp_demo sandbox=sbx_01M7`
 */
export const subject = (body: string): string => {
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .filter(([name]) => !('detail-type' in value) || name === 'id')
    .map(([name, member]) => [name, member?.id ?? member])
    .filter(([name, id]) => /^[a-z_]{1,40}$/.test(name) && knownId.test(textOf(id)))
    .map(([name, id]) => `${name}=${id}`)
    .join(' ');
};

/** How a request or a message has ended: its result, or why it has none and what threw. */
interface LoggedEnd {
  readonly result?: string;
  readonly reason?: string;
  readonly place?: string;
}

/**
 * The error in a line of Lambda's JSON log, as its levels are named in "Lambda log formats", or the
 * result of a message if the line has one; none of another line.
 */
const loggedEnd = (line: string): LoggedEnd | undefined => {
  const entry = parseJson(line) as Readonly<Record<string, unknown>> | undefined;
  if (entry?.level !== 'ERROR' && !entry?.error) {
    return entry?.message_id ? { result: textOf(entry.result ?? 'done') } : undefined;
  }
  const { message, error = message } = entry;
  if (typeof error !== 'object' || error === null) return { reason: String(error) };
  const { name, message: text, stack = '' } = error as Readonly<Record<string, unknown>>;
  const place = thrownAt(textOf(stack).split('\n'));
  return { reason: [name, text].filter(Boolean).map(textOf).join(': '), place };
};

/** A value of JSON, which may have no primitive value: a sender can name a member `toString`. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** Errors may have several lines; a log line has one. */
const reason = (error: string | undefined): string =>
  error === undefined ? '' : ` (${error.replaceAll(/\s+/g, ' ')})`;
