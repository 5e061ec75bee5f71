import { Command, Option } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { WorkerId, WorkspaceId } from '../../../functions/domain/identifiers.ts';
import { commitNew } from '../../../functions/store/commit.ts';
import { kindOf, kinds, subjectKey, subjectKind } from '../kinds/all.ts';
import type { Item } from '../kinds/kind.ts';
import { argument, examples, serve } from '../service/command.ts';
import type { Service } from '../service/connect.ts';
import { visitDeadLetters } from '../service/dead-letter-queue.ts';
import { waitForRequests } from '../service/redacting.ts';
import { readAll } from '../table/bulk.ts';
import { longestRequestMs, redactWorkspace, surveyRedactions } from '../table/redact-workspace.ts';
import { type Person, readRedactions, redactionItems, subjectsOf } from '../table/redactions.ts';
import { type Tally, TallySchema, totalOf } from '../table/tally.ts';
import { requireWorkspace } from '../table/tenant-items.ts';
import { AdminError } from '../terminal/admin-error.ts';
import { confirm } from '../terminal/confirm.ts';
import { countOf } from '../terminal/print.ts';
import { Progress } from '../terminal/progress.ts';
import { readText } from '../terminal/read-text.ts';
import { reply } from '../terminal/report-error.ts';

interface RedactOptions extends Person {
  readonly workspace: string;
  readonly ids?: string;
  readonly dryRun?: boolean;
}

/** Something that keeps data from being redacted. */
interface Obstacle {
  readonly id: unknown;
  readonly detail: string;
}

/** Redacts the personal data of a person, for good. */
export const command = serve(
  new Command('redact')
    .description(
      'Redact the personal data of a worker or of a recipient for good. This reads the whole table up to three times.',
    )
    .requiredOption('--workspace <id>', 'the workspace', argument(WorkspaceId))
    .addOption(
      new Option('--worker <id>', 'the payment requests of this worker, wr_…')
        .argParser(argument(WorkerId))
        .conflicts(['recipient', 'ids']),
    )
    .addOption(new Option('--recipient <address>', 'the offers to this address').conflicts(['ids']))
    .option('--ids <file>', 'the payment requests and offers that a file names, an id on each line')
    .option(
      '--dry-run',
      'report what would be redacted and what cannot be redacted yet; write nothing',
    )
    .addHelpText(
      'after',
      `
Of payment requests: note, reference, documents, payment and the reasons of their approvals. Of offers:
recipient_email; a draft or sent offer becomes voided, so that it cannot be sent. The saved answers to
requests with an Idempotency-Key are redacted too: a retry gets its answer without the data.
Ids, amounts, currencies, periods, times, approvers and the trail stay.

Some data cannot be redacted yet: a payment request that is draft or pending, the address of an offer
with an attempt that is queued or sending, and a dead letter of mail events, which contains an address.
The command reports these, redacts the rest, and ends with exit code 1. Run it again later, and after an
interruption. Without --worker, --recipient or --ids it continues all earlier redactions of the workspace.
A worker or recipient about whom the workspace has nothing is an error.
For payment requests it waits ${longestRequestMs / 1000} seconds, until requests in progress have ended.
${examples('redact --workspace wsp_demo --worker wr_amara --dry-run', 'redact --workspace wsp_demo --recipient worker@example.com --yes')}`,
    ),
  z.object({
    workspace: WorkspaceId,
    ids: z.array(z.string()),
    redacted: TallySchema,
    found: TallySchema,
    obstacles: z.array(z.object({ id: z.string(), detail: z.string() })),
    dry_run: z.boolean(),
  }),
  async (service, options) => {
    const { dryRun = false, workspace } = options;
    await requireWorkspace(workspace);
    const { planned, open } = await plan(options);
    if (!dryRun && planned.length > 0) {
      const what = `${countOf(planned.length, 'record')} of ${workspace}`;
      await confirm(options.yes, `Redact the personal data in ${what} for good?`);
    }
    const operator = await service.operator();
    // Again, because another command may have redacted the same meanwhile.
    const named = await readRedactions(workspace);
    const known = namesIn(named);
    const fresh = planned.filter((id) => !known.has(id));
    const added = redactionItems(workspace, fresh, operator);
    const redactions = [...named, ...added];
    const write = async (): Promise<Tally> => {
      for (const item of added) await commitNew(item);
      if (redactions.length === 0) return {};
      return withProgress((onItem) => redactWorkspace(redactions, waitForRequests, onItem));
    };
    const redacted = dryRun ? {} : await reply('The same command continues.', write());
    const { found, waiting } = await withProgress((onItem) => surveyRedactions(redactions, onItem));
    const obstacles: Obstacle[] = [
      ...open.map(({ id, status }) => ({ id, detail: `is ${status}` })),
      ...waiting.map(({ id, offer, status }) => ({ id, detail: `of ${offer} is ${status}` })),
      ...(await deadLettersAbout(service, namesIn(redactions), options.recipient)),
    ];
    const left = dryRun ? 0 : totalOf(found);
    const report = { workspace, ids: fresh, redacted, found, obstacles, dry_run: dryRun };
    if (obstacles.length > 0 || left > 0) process.exitCode = 1;
    return {
      value: report,
      text: () =>
        [
          ...fresh,
          dryRun ? `${inWords(found)} would be redacted.` : `${inWords(redacted)} redacted.`,
          ...obstacles.map(({ id, detail }) => `Cannot be redacted yet: ${id} ${detail}.`),
          ...(left > 0 ? [`${inWords(found)} left. Run the command again.`] : []),
        ].join('\n'),
    };
  },
);

/** What no redaction names yet: the records to redact, and the payment requests that are open. */
const plan = async ({ workspace, ids, ...person }: RedactOptions) => {
  const known = namesIn(await readRedactions(workspace));
  const subjects = ids ? await namedIn(ids, workspace) : await subjectsAbout(workspace, person);
  const fresh = subjects.filter(({ id }) => !known.has(String(id)));
  const isOpen = (item: Item) => kindOf(item)?.redaction?.isOpen?.(item) ?? false;
  return {
    planned: fresh.filter((item) => !isOpen(item)).map(({ id }) => String(id)),
    open: fresh.filter(isOpen),
  };
};

/**
 * None without a person: the redactions of the workspace are continued.
 *
 * @throws AdminError when the workspace has nothing about the person, whose name may be misspelled
 */
const subjectsAbout = async (workspace: string, person: Person): Promise<Item[]> => {
  const { worker, recipient } = person;
  const subjects = await Array.fromAsync(subjectsOf(workspace, person));
  if (subjects.length === 0 && worker) {
    throw new AdminError(`${workspace} has no payment request of the worker ${worker}.`);
  }
  if (subjects.length === 0 && recipient) {
    throw new AdminError(
      `${workspace} has no offer to ${recipient}. If it had one that was redacted, \`redact --workspace ${workspace}\` continues.`,
    );
  }
  return subjects;
};

/** The ids of the payment requests and offers that redactions name. */
const namesIn = (redactions: readonly Item[]): ReadonlySet<string> =>
  new Set(redactions.flatMap(({ ids }) => ids as string[]));

/** @throws AdminError when the file names none, or one that the workspace lacks */
const namedIn = async (file: string, workspace: string): Promise<Item[]> => {
  const ids = [...new Set(readText(file).split(/\s+/).filter(Boolean))];
  if (ids.length === 0) throw new AdminError(`${file} names no payment request and no offer.`);
  const found = await readAll(ids.filter(subjectKind).map(subjectKey));
  const own = new Set(found.map((item) => item?.workspace === workspace && item.id));
  const missing = ids.filter((id) => !own.has(id));
  if (missing.length > 0) {
    const what = `payment request or offer ${missing.join(', ')}`;
    throw new AdminError(`There is no ${what} in ${workspace}.`);
  }
  return found.filter((item) => item !== undefined);
};

const withProgress = async <T>(work: (onItem: () => void) => Promise<T>): Promise<T> => {
  const progress = new Progress('items');
  let items = 0;
  return work(() => {
    items += 1;
    progress.show(items);
  }).finally(() => progress.clear());
};

/** Events of SES hold addresses; all other messages hold ids. */
const deadLettersAbout = async (
  service: Service,
  known: ReadonlySet<string>,
  recipient = '',
): Promise<Obstacle[]> => {
  const letters: Obstacle[] = [];
  await visitDeadLetters(service, 'mail-events', async ({ id, body }) => {
    const names = body.match(/ofr_[\w-]+/g)?.some((name) => known.has(name));
    if (names || (recipient && body.toLowerCase().includes(recipient.toLowerCase()))) {
      letters.push({ id, detail: 'is a dead letter: run `dead-letters discard`' });
    }
    return false;
  });
  return letters;
};

const inWords = (tally: Tally): string =>
  new Intl.ListFormat('en').format(
    Object.values(kinds)
      .filter(({ redaction }) => redaction && !redaction.onlyCopies)
      .map(({ type, noun }) => countOf(tally[type] ?? 0, noun)),
  );
