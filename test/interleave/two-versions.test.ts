import { stop } from 'esbuild';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { caseNamed } from './cases/cases.ts';
import { withChanges } from './cases/changed-sources.ts';
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
const incompatible: readonly [
  what: string,
  alone: string,
  beside: string,
  violation: string,
  functions: readonly string[],
  changes: Readonly<Record<string, readonly [from: string, to: string]>>,
][] = [
  [
    'a claim with another key',
    'resend',
    'resend@A',
    'no order explains',
    ['resend-offer'],
    {
      'functions/idempotency/intent.ts': [
        '[workspace, operation, key]',
        '[operation, workspace, key]',
      ],
    },
  ],
  [
    'a message with another member',
    'create-pipeline',
    'create-pipeline@relay-outbox',
    'ready is not published',
    ['relay-outbox', 'provision-sandbox'],
    {
      'functions/domain/outbox.ts': ['sandbox: id }),', 'sandbox_id: id }) as never,'],
      'functions/domain/messages.ts': ['sandbox: SandboxId', 'sandbox_id: SandboxId'],
      'functions/provision-sandbox.ts': ['sandbox: id }', 'sandbox_id: id }'],
    },
  ],
];

test.each(incompatible)(
  '%s is right in %s, and a violation in %s: %s',
  async (what, alone, beside, violation, functions, changes) => {
    const all = Object.entries(changes).map(([file, [from, to]]) => ({ file, from, to }));
    const changed = await compileFunctions([withChanges(what, all)], functions);
    expect(await violationOf(alone, today, changed)).toBeUndefined();
    const before = new Map([...today].map(([name, program]) => [nameBeside(name), program]));
    expect((await violationOf(beside, today, changed, before))?.messages[0]).toContain(violation);
  },
);
