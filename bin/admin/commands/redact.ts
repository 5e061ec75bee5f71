import { redacted } from '../../../functions/domain/redaction.ts';
import { commitNew } from '../../../functions/store/commit.ts';
import { confirm } from '../../command-line/confirm.ts';
import { countOf } from '../../command-line/print.ts';
import { examples, serve } from '../service/command.ts';
import { personCommand, requireSubjects } from '../service/person.ts';
import { inParallel, parallelCalls } from '../table/in-parallel.ts';
import { planRedaction, redactionItems } from '../table/redactions.ts';
import { rewrite } from '../table/write.ts';

export const command = serve(
  personCommand('redact').description(
    'Redact the personal data of a worker or of a recipient for good. This reads the whole table once.',
  ),
  `
Of payment requests: note, reference, documents, payment and the reasons of their approvals. Of offers:
recipient_email; a draft or sent offer becomes voided, so that it cannot be sent.
Ids, amounts, currencies, periods, times, approvers and authors stay. So do saved responses, for 30 days, and the
messages and dead letters of the queue Import, for 14 days. No later message changes a redacted record.

Refused are a payment request that is draft or pending, and an offer with an attempt that is queued or
sending. The command reports these, redacts the rest, and ends with exit code 1. Run it again later, and
after an interruption. An approval that came meanwhile keeps its reason until then.
${examples('redact --workspace wsp_demo --worker wr_amara', 'redact --workspace wsp_demo --recipient worker@example.com --yes')}`,
  async ({ operator }, { workspace, worker, recipient, yes }) => {
    const subjects = await requireSubjects(workspace, { worker, recipient });
    const planned = await Array.fromAsync(inParallel(subjects, parallelCalls, planRedaction));
    const open = planned.filter(({ items }) => items.length > 0);
    const refused = open.filter(({ obstacle }) => obstacle);
    const ready = open.filter(({ obstacle }) => !obstacle);
    const done: string[] = [];
    const left = refused.map(({ id, obstacle }) => `${id}: ${obstacle}.`);
    if (ready.length > 0) {
      const what = countOf(ready.length, worker ? 'payment request' : 'offer');
      await confirm(yes, `Redact the personal data in ${what} of ${workspace} for good?`);
      // First: if the command ends here, consumers still delete their copies.
      const ids = ready.map(({ id }) => id);
      for (const item of redactionItems(workspace, ids, await operator())) await commitNew(item);
      const redacting = inParallel(ready, parallelCalls, async ({ id, items }) => {
        const written = await Promise.all(items.map((item) => rewrite(item, redacted(item))));
        if (written.every(Boolean)) done.push(id);
        else left.push(`${id}: was changed meanwhile.`);
      });
      for await (const _ of redacting);
    }
    return {
      value: { workspace, redacted: done, left },
      text: () => [...done, `${countOf(done.length, 'record')} redacted.`].join('\n'),
      failure: left.length > 0 && `Not redacted. Run the command again later.\n${left.join('\n')}`,
    };
  },
);
