import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';

/** Where `npm start` says how to reach what it runs, relative to the directory that it runs in. */
export const stackFilePath = '.local/stack.json';

const StackFile = z.object({
  table: z.string(),
  endpoints: z.object({
    dynamodb: z.url(),
    sqs: z.url(),
    ses: z.url(),
    secretsmanager: z.url(),
    eventbridge: z.url(),
  }),
  queues: z.record(z.string(), z.object({ url: z.string().optional(), deadLetters: z.string() })),
  mailConfigurationSet: z.string().optional(),
  // ARNs.
  eventBus: z.string().optional(),
  eventArchive: z.string().optional(),
  /** The base URL of the API. */
  url: z.url(),
  reference: z.url(),
  mailbox: z.url(),
  // The demo data by name.
  tokens: z.record(z.enum(['live', 'other', 'test', 'expired', 'no_scopes']), z.string()),
  workspaces: z.record(z.enum(['live', 'other']), z.string()),
  managers: z.record(z.enum(['live', 'other']), z.array(z.string()).readonly()),
  payment_requests: z.record(z.enum(['pending', 'approved', 'paid', 'other']), z.string()),
  offers: z.record(z.enum(['sent', 'draft', 'accepted', 'other']), z.string()),
});

/** What the file holds: addresses, and the demo data by name. */
export type StackFile = Readonly<z.infer<typeof StackFile>>;

/** @throws ZodError, SyntaxError or the system's error when the file does not describe a local run */
export const readStackFile = (path: string = stackFilePath): StackFile =>
  StackFile.parse(JSON.parse(readFileSync(path, 'utf8')));

/** Writes the file from which other commands learn where the local run is. */
export const writeStackFile = (content: StackFile): void => {
  mkdirSync(dirname(stackFilePath), { recursive: true });
  writeFileSync(stackFilePath, `${JSON.stringify(content, null, 2)}\n`);
};

/** Removes the file of the run that answers at this URL; a later run's file stays. */
export const removeStackFile = (url: string): void => {
  if (describes(url)) rmSync(stackFilePath);
};

const describes = (url: string): boolean => {
  try {
    return readStackFile().url === url;
  } catch {
    return false;
  }
};
