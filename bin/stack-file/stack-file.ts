import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { demo } from '../../functions/contract/demo.ts';
import type { Engine } from '../../lib/local/local-engine.ts';
import { resourcesIn } from './resources.ts';
import { stackFilePath } from './stack-file-path.ts';

const StackFile = z.object({
  table: z.string(),
  endpoints: z.object({
    dynamodb: z.url(),
    sqs: z.url(),
    ses: z.url(),
    eventbridge: z.url(),
  }),
  /** By name; without a `url` where a stream takes the place of the queue, as for the outbox. */
  queues: z.record(z.string(), z.object({ url: z.string().optional(), deadLetters: z.string() })),
  /** Its ARN; none where a version without events is deployed. */
  eventBus: z.string().optional(),
  /** The process of `npm start`. */
  pid: z.number(),
  /** The base URL of the API. */
  url: z.url(),
  reference: z.url(),
  mailbox: z.url(),
  // The demo data by name.
  tokens: z.record(z.enum(['live', 'other', 'test', 'expired', 'no_scopes']), z.string()),
  workspaces: z.record(z.enum(['live', 'other']), z.string()),
  managers: z.record(z.enum(['live', 'other']), z.array(z.string()).readonly()),
  payment_requests: z.record(z.enum(['pending', 'approved', 'paid', 'other']), z.string()),
  offers: z.record(z.enum(['sent', 'draft', 'accepted', 'other', 'bouncing']), z.string()),
});

/** What the file holds: addresses, and the demo data by name. */
export type StackFile = Readonly<z.infer<typeof StackFile>>;

/** The file of a running stack with the demo data, beside which the reference page is served. */
export const stackFileOf = (
  {
    url = '',
    mailbox,
    endpoints,
    outputs,
  }: Pick<Engine, 'url' | 'mailbox' | 'endpoints' | 'outputs'>,
  reference: string,
): StackFile => ({
  pid: process.pid,
  url,
  reference,
  mailbox,
  table: outputs.TableName ?? '',
  endpoints,
  ...resourcesIn(outputs),
  ...demo,
});

/** @throws ZodError, SyntaxError or the system's error if the file does not describe a local run */
export const readStackFile = (path: string = stackFilePath): StackFile =>
  StackFile.parse(JSON.parse(readFileSync(path, 'utf8')));
