import { stop } from 'esbuild';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { caseNamed } from './cases/cases.ts';
import { change, withChanges } from './cases/changed-sources.ts';
import { compileFunctions } from './cases/programs.ts';
import { useTable } from './cases/table.ts';
import type { Platform } from './engine/case.ts';
import { checkCase } from './engine/check.ts';
import { nameBeside, type Programs } from './engine/instance.ts';

const { dynamodb } = inject('stack').endpoints;
let table: Omit<Platform, 'programs'>;
let today: Programs;
beforeAll(async () => {
  table = await useTable(dynamodb);
  today = await compileFunctions();
});
afterAll(stop);

const violationOf = async (name: string, ...all: readonly Programs[]) => {
  const programs = new Map(all.flatMap((each) => [...each]));
  return (await checkCase({ ...table, programs }, caseNamed(name))).violation;
};

/** Changes that are right by themselves, and wrong beside the version before them. */
const incompatible = [
  {
    what: 'a claim with another key',
    alone: 'resend',
    beside: 'resend@A',
    violation: 'no order explains',
    functions: ['resend-offer'],
    changes: change(
      'idempotency/intent.ts',
      '[workspace, endpoint, key]',
      '[endpoint, workspace, key]',
    ),
  },
  {
    what: 'a message with another member',
    alone: 'create-pipeline',
    beside: 'create-pipeline@relay-outbox',
    violation: 'ready is not published',
    functions: ['relay-outbox', 'provision-sandbox'],
    changes: [
      ...change('domain/outbox.ts', 'sandbox: id,\n    }),', 'sandbox_id: id,\n    }) as never,'),
      ...change('domain/messages.ts', 'sandbox: SandboxId', 'sandbox_id: SandboxId'),
      ...change('provision-sandbox.ts', 'sandbox: id }', 'sandbox_id: id }'),
    ],
  },
];

test.each(incompatible)(
  '$what is right in $alone, and a violation in $beside: $violation',
  async ({ what, alone, beside, violation, functions, changes }) => {
    const changed = await compileFunctions([withChanges(what, changes)], functions);
    expect(await violationOf(alone, today, changed)).toBeUndefined();
    const before = new Map([...today].map(([name, program]) => [nameBeside(name), program]));
    expect((await violationOf(beside, today, changed, before))?.messages[0]).toContain(violation);
  },
);
