import type { Context } from 'aws-lambda';
import { newSandbox, type Sandbox } from '../../functions/domain/sandbox.ts';
import { beginKey } from '../../functions/idempotency/begin-key.ts';
import { newIntent } from '../../functions/idempotency/intent.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import type { Guard } from '../../functions/store/commit.ts';
import { saveNewSandbox } from '../../functions/store/sandboxes.ts';
import { newTenant } from '../testing/tenants.ts';
import { author } from '../testing/test-author.ts';
import { comparisonOf, durationOf, inTurns } from './in-turns.ts';
import type { Part } from './row.ts';

const usualRuns = 500;
const warmUps = 200;

/** What an Idempotency-Key adds to the write of a new sandbox. */
export const idempotentWrites: Part = {
  name: 'idempotency',
  measure: async (bench) => {
    bench.progress('idempotency: a write alone, and with the whole guarantee');
    const { workspace } = await newTenant();
    const context = { getRemainingTimeInMillis: () => 10_000 } as Context;
    const save = async (claimed?: (saved: Sandbox) => Guard | undefined) => {
      const now = new Date().toISOString();
      const sandbox = newSandbox(workspace, { name: 'Sandbox' }, newOpaque(), now);
      await saveNewSandbox(sandbox, author, claimed?.(sandbox));
    };
    const measures = {
      plain: () => durationOf(() => save()),
      keyed: () => {
        const key = newOpaque();
        const intent = newIntent({ workspace, operation: 'create-sandbox', key }, 'asked');
        return durationOf(async () => {
          const begun = await beginKey(intent, context);
          await save(begun.claim);
        });
      },
    };
    const { plain, keyed } = await inTurns(bench.runs(usualRuns), measures, warmUps);
    return [comparisonOf('Keyed write, whole, against a conditional PutItem', keyed, plain, 4)];
  },
};
