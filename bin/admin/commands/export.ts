import type { Item } from '../../../functions/domain/item.ts';
import { restoredResponse } from '../../../functions/idempotency/saved-response.ts';
import { countOf, printedJson } from '../../command-line/print.ts';
import { examples, serve } from '../service/command.ts';
import { personCommand, requireSubjects } from '../service/person.ts';
import { findItemsBeside } from '../table/redactions.ts';

/** An item without its key; a saved response as its client got it. */
const presented = ({ pk: _, sk: __, ...item }: Item): Item =>
  item.result ? { ...item, result: JSON.stringify(restoredResponse(item.result)) } : item;

export const command = serve(
  personCommand('export').description(
    'Export what is kept about a person, as JSON: the response to a request for access. This reads the whole table twice.',
  ),
  `
The export contains the payment requests or offers with their approvals or delivery attempts, the saved
responses about them, and the redactions that name them. A whole table is exported by
\`aws dynamodb export-table-to-point-in-time\`.
${examples('export --workspace wsp_demo --worker wr_amara > wr_amara.json')}`,
  async (_, { workspace, worker, recipient }) => {
    const subjects = await requireSubjects(workspace, { worker, recipient });
    const found = [...subjects, ...(await findItemsBeside(workspace, subjects))];
    const items = found.map(presented);
    console.error(`Exported ${countOf(items.length, 'item')}.`);
    const value = { workspace, worker, recipient, items };
    return { value, text: () => printedJson(value, 2) };
  },
);
