import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactedAddress } from '../../bin/admin/kinds/offer.ts';
import { type CarryingOut, carryOut } from '../../bin/admin/merge/carry-out.ts';
import { Findings } from '../../bin/admin/merge/findings.ts';
import { planRepair } from '../../bin/admin/merge/plan-restore.ts';
import { redactWorkspace, surveyRedactions } from '../../bin/admin/table/redact-workspace.ts';
import { redactionItems, redactionsIn, redactor } from '../../bin/admin/table/redactions.ts';
import { type Item, scan } from '../../bin/admin/table/scan.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { dynamodb } from '../../functions/store/client.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { mailsTo } from '../support/mails-to.ts';
import { author } from '../support/test-author.ts';
import { itemsWith, newClient } from './personal-data.ts';
import { approvedRequest, workspace } from './restored-items.ts';
import { adminJson, newTable } from './run-admin.ts';

/** What clients do, with keys or without. */
const history = fc.array(
  fc.record({ what: fc.constantFrom('approve', 'resend'), key: fc.option(fc.nat(2)) }),
  { minLength: 1, maxLength: 6 },
);

/** Calls `work` with the number of each write of this process before it. @returns what ends that */
const beforeWrites = (work: (number: number) => unknown) => {
  let [count, isWorking] = [0, false];
  dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (!isWorking && /^(Update|Put|Transact)/.test(String(commandName))) {
          isWorking = true;
          await Promise.resolve(work(count++)).finally(() => {
            isWorking = false;
          });
        }
        return next(args);
      },
    { step: 'initialize', name: 'beforeWrites' },
  );
  return () => dynamodb.middlewareStack.remove('beforeWrites');
};

const breakOff = async () => {
  throw new Error('broken off');
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

      const goOn = beforeWrites((number) => number >= writes && breakOff());
      const broken = await redactWorkspace(redactions, async () => {}).catch(String);
      goOn();
      expect([expect.any(Object), 'Error: broken off']).toContainEqual(broken);
      const redactRest = async () => {
        await redactWorkspace(redactions, () => Promise.all(underWay));
        return (await surveyRedactions(redactions)).found;
      };
      await expect.poll(redactRest).toEqual({});

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

test('no byte comes back, though a redaction overtakes any write of a restore, which breaks off', async () => {
  const lost = fc.array(fc.boolean(), { minLength: 6, maxLength: 6 });
  const inService = process.env.TABLE_NAME;
  await fc.assert(
    fc.asyncProperty(lost, fc.nat(4), fc.nat(6), async (isLost, overtaken, writes) => {
      const secret = `secret-${newOpaque()}`;
      const all: Item[] = [approvedRequest(), approvedRequest()].flatMap(
        ({ request, approval, claim }) => [
          { ...request, note: secret },
          { ...approval, reason: secret },
          { ...claim, result: String(claim.result).replace('INV-1', secret) },
        ],
      );
      const beside = await newTable(all);
      const own = await newTable(all.filter((_, index) => !isLost[index]));
      process.env.TABLE_NAME = own;
      const subjects = all.flatMap(({ type, id }) =>
        type === 'PAYMENT_REQUEST' ? String(id) : [],
      );
      const redactions = redactionItems(workspace, subjects, author);
      let isRedacted = false;
      const redact = async () => {
        isRedacted = true;
        for (const item of redactions) await commitNew(item);
        await redactWorkspace(redactions, async () => {});
      };
      const restore = async () => {
        const { signal } = new AbortController();
        const recorded = await redactionsIn([own]);
        const plan = await planRepair(beside, {
          by: { ...author, at: new Date().toISOString() },
          at: new Date().toISOString(),
          redact: redactor(recorded),
          findings: new Findings(),
          onItems: () => {},
        });
        plan.known = recorded;
        const merge: CarryingOut = {
          ...{ plan, signal, isCounting: false, sources: [own] },
          recorded: () => redactionsIn([own]),
          pause: async () => {},
          settle: async () => 'present',
          onRefused: () => {},
          onDone: () => {},
        };
        return carryOut(merge, { created: 0, updated: 0, present: 0 });
      };

      const goOn = beforeWrites(async (number) => {
        if (number === overtaken) await redact();
        if (number >= writes) await breakOff();
      });
      const first = await restore().catch(String);
      goOn();
      expect([expect.any(Object), 'Error: broken off']).toContainEqual(first);
      if (isRedacted && typeof first !== 'string') expect(await itemsWith(secret)).toEqual([]);
      if (!isRedacted) await redact();
      const { found } = await restore();

      expect([found, await itemsWith(secret)]).toEqual([{}, []]);
      const items = await Array.fromAsync(scan());
      expect(items).toHaveLength(all.length + redactions.length);
    }),
    { numRuns: 20 },
  );
  process.env.TABLE_NAME = inService;
});
