import type { Context } from 'aws-lambda';
import { newSandbox, type Sandbox } from '../../functions/domain/sandbox.ts';
import { claim } from '../../functions/idempotency/claims.ts';
import { once } from '../../functions/idempotency/once.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import type { Guard } from '../../functions/store/commit.ts';
import { saveNewSandbox } from '../../functions/store/sandboxes.ts';
import { author } from '../support/author.ts';
import { newTenant } from '../support/tenants.ts';
import { durationOf, inTurns } from './in-turns.ts';
import type { Part } from './row.ts';
import { ratioOf, spreadOf } from './spread.ts';
import { figure } from './table.ts';

const usualRuns = 500;
const warmUps = 200;

/** What an Idempotency-Key adds to the write of a new sandbox. */
export const idempotentWrites: Part = {
  name: 'idempotency',
  measure: async (world) => {
    world.progress('idempotency: a write alone, with its claim, and with the whole guarantee');
    const { workspace } = await newTenant();
    const context = { getRemainingTimeInMillis: () => 10_000 } as Context;
    const sandbox = () =>
      newSandbox(workspace, { name: 'Sandbox' }, newOpaque(), new Date().toISOString());
    const newIntent = () => ({
      workspace,
      operation: 'create-sandbox',
      key: newOpaque(),
      fingerprint: 'asked',
    });

    const save = async (claimed?: (saved: Sandbox) => Guard) => {
      const saved = sandbox();
      await saveNewSandbox(saved, author, claimed?.(saved));
      return saved;
    };
    const measures = {
      plain: () => durationOf(() => save()),
      claimed: () => {
        const intent = newIntent();
        return durationOf(() => save((saved) => claim(intent, saved)));
      },
      keyed: () => {
        const intent = newIntent();
        return durationOf(() => once(intent, context, undefined, save));
      },
    };
    await inTurns(warmUps, measures);
    const { plain, claimed, keyed } = await inTurns(world.runs(usualRuns), measures);
    const against = (ours: number[]) =>
      `${figure(spreadOf(ours).median)} against ${figure(spreadOf(plain).median)} ms`;
    return [
      {
        what: 'Transaction with a claim against a conditional PutItem',
        measured: ratioOf(claimed, plain),
        unit: '×',
        target: { most: 2 },
        note: against(claimed),
      },
      {
        what: 'Keyed write, whole, against a conditional PutItem',
        measured: ratioOf(keyed, plain),
        unit: '×',
        target: { most: 4 },
        note: against(keyed),
      },
    ];
  },
};
