import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { scan } from '../../bin/admin/table/scan.ts';
import { stackFileOf } from '../../bin/local-run/stack-file.ts';
import { type Event, eventSource } from '../../functions/domain/events.ts';
import type { BusEvent, Engine } from '../../lib/local/local-engine.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { startFaultyService } from '../support/faulty-service.ts';
import { childRunner } from '../support/run-child.ts';
import { type Admin, clientOf, createCompany } from './company.ts';
import { cursorSecretOf } from './cursor-secret.ts';
import { missingForms } from './forms.ts';
import type { Frozen } from './frozen.ts';
import {
  approveAll,
  createSandboxes,
  giveUpMessages,
  importRecords,
  inTheMiddle,
  moveWorkspace,
  redactData,
  restoreTable,
  sendOffers,
  simulateMail,
} from './release-history.ts';

/** The functions live in the past, so that the hours that a history passes are over at its end. */
const earlierMs = 6 * 3_600_000;

/**
 * Runs a synthesized stack until its table has every form that an item can have.
 *
 * @param directory for the files of the run
 * @throws Error when a form is missing: the history does not cause it yet
 */
export const freezeData = async (
  assemblyDirectory: string,
  directory: string,
  onStep: (step: string) => void,
): Promise<Frozen> => {
  const service = await startFaultyService({ assemblyDirectory });
  const { secretsmanager: endpoint } = service.stack.endpoints;
  const secrets = new SecretsManagerClient({ endpoint });
  try {
    service.clock.advance(-earlierMs);
    const stage = { service, admin: adminOf(service.stack, directory), directory };
    const { admin } = stage;
    onStep('a company');
    const company = await createCompany(stage);
    const { workspace } = company;
    const client = clientOf(stage, company);
    const records = await importRecords(stage, workspace);
    const { requests, offers } = records;
    onStep('approvals');
    await approveAll(stage, company, client, requests);
    onStep('sandboxes');
    const { pages, testWorkspace } = await createSandboxes(client);
    onStep('mails');
    await sendOffers(stage, client, offers);
    const test = await simulateMail(stage, client, testWorkspace);
    onStep('redactions, an import and a restore');
    await redactData(stage, company, client);
    await moveWorkspace(stage);
    await restoreTable(stage, requests.cancelled);
    onStep('messages that are given up');
    const messages = await giveUpMessages(stage, company, client, offers);
    return await inTheMiddle(stage, company, client, records, async (begun) => {
      const items = await Array.fromAsync(scan());
      const missing = missingForms(items);
      if (missing.length > 0) throw new Error(`No item is a ${missing.join(', none is a ')}.`);
      return {
        atMs: service.clock.now(),
        ...company,
        tokens: { ...company.tokens, test },
        cursorSecret: (await cursorSecretOf(secrets)).SecretString ?? '',
        pages,
        answers: client.answers(),
        inProgress: begun.map((request) => ({ ...request, token: company.tokens.live })),
        messages,
        events: eventsOf(service.events),
        items: items.sort((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1)),
        exported: await admin('export', '--workspace', workspace, '--tokens'),
      };
    });
  } finally {
    await service.stop();
  }
};

/** The operators' command line, as a child process. */
const adminOf = (stack: Engine, directory: string): Admin => {
  const file = join(directory, 'stack.json');
  writeFileSync(file, JSON.stringify(stackFileOf(stack, stack.url ?? '')));
  const run = childRunner({ ...childEnvironment(), WFP_STACK_FILE: file });
  return async (...args) => {
    const text = await run('bin/admin.ts', ...args);
    return args.includes('--json') ? JSON.parse(text) : text;
  };
};

/** Each event once: one that was not confirmed in time is published again. */
const eventsOf = (published: readonly BusEvent[]): Event[] => {
  const own = published.filter(({ source }) => source === eventSource);
  const details = own.map(({ detail }) => detail as Event);
  return [...new Map(details.map((event) => [event.id, event])).values()].sort((one, other) =>
    one.id < other.id ? -1 : 1,
  );
};
