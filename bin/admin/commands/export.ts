import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, Option } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { WorkerId, WorkspaceId } from '../../../functions/domain/identifiers.ts';
import { savedPaymentRequest } from '../../../functions/idempotency/saved-payment-request.ts';
import { recordLine } from '../kinds/all.ts';
import type { Item } from '../kinds/kind.ts';
import { argument, examples, serve } from '../service/command.ts';
import { exportItems } from '../table/export-items.ts';
import { itemsAbout } from '../table/redactions.ts';
import { requireWorkspace } from '../table/tenant-items.ts';
import { countOf } from '../terminal/print.ts';
import { counted } from '../terminal/progress.ts';

/** The form of stored items is not promised. */
const ItemLine = z.looseObject({ type: z.string() });

const PersonalData = z.object({
  workspace: WorkspaceId,
  worker: z.optional(WorkerId),
  recipient: z.optional(z.string()),
  items: z.array(ItemLine),
});

/** A saved answer as its client got it: a claim keeps the approvals of an answer deflated. */
const asAnswered = async (item: Item): Promise<Item> => {
  if (item.operation !== 'approve-payment-request') return item;
  const answer = await savedPaymentRequest.restore(JSON.parse(String(item.result)));
  return { ...item, result: JSON.stringify(answer) };
};

/** Exports everything that belongs to a workspace, as JSON Lines. */
export const command = serve(
  new Command('export')
    .description(
      'Export everything that belongs to a workspace, as JSON Lines. This reads the whole table once.',
    )
    .requiredOption('--workspace <id>', 'the workspace', argument(WorkspaceId))
    .option('--tokens', 'include the hashes of its tokens, so that an import restores them')
    .addOption(
      new Option('--worker <id>', 'only what is kept about this worker, wr_…, as JSON')
        .argParser(argument(WorkerId))
        .conflicts(['recipient', 'tokens']),
    )
    .addOption(
      new Option(
        '--recipient <address>',
        'only what is kept about this recipient, as JSON',
      ).conflicts('tokens'),
    )
    .addHelpText(
      'after',
      `
The export contains the workspace and its account with the managers; its sandboxes and everything in
their test workspaces; payment requests with their approvals; offers with their delivery attempts;
and the claims, which hold the saved answer of each Idempotency-Key. \`import\` reads it again.
It is not a snapshot: a change that is made meanwhile may be missing.

With --worker or --recipient it is one JSON object, for a person who requests access: the payment
requests or offers, their approvals or delivery attempts, the saved answers about them, and the
redactions that name them. This reads the whole table twice.
${examples('export --workspace wsp_demo > wsp_demo.jsonl', 'export --workspace wsp_demo --worker wr_amara > wr_amara.json')}`,
    ),
  z.union([ItemLine, PersonalData]),
  async (_, options) => {
    let written = 0;
    async function* lines() {
      const items = exportItems(options.workspace, options.tokens ?? false);
      for await (const item of counted('items', items)) {
        written += 1;
        yield `${JSON.stringify(ItemLine.parse(recordLine(item)))}\n`;
      }
    }
    async function* personalData() {
      const { workspace, worker, recipient } = options;
      await requireWorkspace(workspace);
      const found = (await itemsAbout(workspace, options)).map(recordLine);
      const items = await Promise.all(found.map(asAnswered));
      written = items.length;
      const data = PersonalData.parse({ workspace, worker, recipient, items });
      yield `${JSON.stringify(data, null, 2)}\n`;
    }
    const isOfPerson = options.worker ?? options.recipient;
    const text = isOfPerson ? personalData() : lines();
    await pipeline(Readable.from(text), process.stdout, { end: false });
    console.error(`Exported ${countOf(written, 'item')}.`);
  },
);
