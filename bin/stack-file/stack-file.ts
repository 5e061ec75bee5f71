import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { demo } from '../../functions/contract/demo.ts';
import type { Engine } from '../../lib/local/local-engine.ts';
import { queueUrls } from './queue-urls.ts';
import { stackFilePath } from './stack-file-path.ts';

type Stack = Pick<Engine, 'url' | 'mailbox' | 'endpoints' | 'outputs'>;

/** The file of a running stack with the demo data, beside which the reference page is served. */
export const stackFileOf = (
  { url = '', mailbox, endpoints, outputs }: Stack,
  reference: string,
) => ({
  /** The process of `npm start`. */
  pid: process.pid,
  /** The base URL of the API. */
  url,
  reference,
  mailbox,
  table: outputs.TableName ?? '',
  endpoints,
  queues: queueUrls(outputs),
  eventBus: outputs.EventBusArn,
  ...demo,
});

/** What the file holds: addresses, and the demo data by name. */
export type StackFile = Readonly<ReturnType<typeof stackFileOf>>;

/** What commands need of it. */
const Addresses = z.object({
  pid: z.number(),
  url: z.url(),
  table: z.string(),
  endpoints: z.record(z.enum(['dynamodb', 'sqs', 'ses', 'eventbridge']), z.url()),
  queues: z.record(z.string(), z.object({ url: z.string().optional(), deadLetters: z.string() })),
});

/** @throws ZodError, SyntaxError or the system's error if the file does not describe a local run */
export const readStackFile = (path: string = stackFilePath): StackFile => {
  const content = JSON.parse(readFileSync(path, 'utf8'));
  Addresses.parse(content);
  return content;
};
