import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactedAddress } from '../../bin/admin/kinds/offer.ts';
import { redactWorkspace, surveyRedactions } from '../../bin/admin/table/redact-workspace.ts';
import { redactionItems } from '../../bin/admin/table/redactions.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { dynamodb } from '../../functions/store/client.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { eventually } from '../support/eventually.ts';
import { mailsTo } from '../support/mails-to.ts';
import { author } from '../support/test-author.ts';
import { itemsWith, newClient } from './personal-data.ts';
import { adminJson } from './run-admin.ts';

/** What clients do, with keys or without. */
const history = fc.array(
  fc.record({ what: fc.constantFrom('approve', 'resend'), key: fc.option(fc.nat(2)) }),
  { minLength: 1, maxLength: 6 },
);

/** Has the writes of this process fail from the n-th on. @returns what ends that */
const breakOff = (n: number) => {
  let left = n;
  dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (/^(Update|Put|Transact)/.test(String(commandName))) left -= 1;
        if (left < 0) throw new Error('broken off');
        return next(args);
      },
    { step: 'initialize', name: 'breakOff' },
  );
  return () => dynamodb.middlewareStack.remove('breakOff');
};

test('no byte is left after any history, though a redaction breaks off and clients go on', async () => {
  const meanwhile = [
    { what: 'approve', key: 7 },
    { what: 'resend', key: 8 },
    { what: 'approve', key: null },
  ] as const;
  const secrets: string[] = [];
  await fc.assert(
    fc.asyncProperty(history, fc.nat(8), async (before, writes) => {
      const secret = `secret-${newOpaque()}`.toLowerCase();
      const { workspace, subjects, act, mail } = await newClient(secret);
      // A request that is approved: an approve then has no condition on it.
      for (const each of [{ what: 'approve', key: 9 } as const, ...before]) await act(each);
      const underWay = [...meanwhile.map(act), mail()];
      const redactions = redactionItems(workspace, subjects, author);
      for (const item of redactions) await commitNew(item);

      const goOn = breakOff(writes);
      const broken = await redactWorkspace(redactions, async () => {}).catch(String);
      goOn();
      expect([expect.any(Object), 'Error: broken off']).toContainEqual(broken);
      await eventually(async () => {
        await redactWorkspace(redactions, () => Promise.all(underWay));
        const { found } = await surveyRedactions(redactions);
        return Object.keys(found).length === 0;
      });

      expect(await itemsWith(secret)).toEqual([]);
      const answers = await Promise.all([...before, ...meanwhile].map(act));
      for (const { status, text } of answers) {
        expect([200, 409]).toContain(status);
        expect(text).not.toContain(secret);
      }
      // Approvals without a key were given anew, after the redaction.
      const left = await itemsWith(secret);
      expect(left.filter(({ type }) => type !== 'APPROVAL')).toEqual([]);
      expect(await mailsTo(redactedAddress)).toEqual([]);
      secrets.push(secret);
    }),
    { numRuns: 8 },
  );
  const letters = JSON.stringify(await adminJson('dead-letters', 'list'));
  for (const secret of secrets) expect(letters).not.toContain(secret);
});
