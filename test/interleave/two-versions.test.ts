import { stop } from 'esbuild';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { newest } from '../releases/kept-releases.ts';
import { withChanges } from '../support/changed-sources.ts';
import { caseNamed, releaseCases } from './cases.ts';
import { checkCase } from './check.ts';
import { compileFunctions, type Programs, releasedName, releasedPrograms } from './programs.ts';
import { useDatabase } from './schedule-table.ts';

const { dynamodb } = inject('stack').endpoints;
const version = newest();
let today: Programs;
let released: Programs;
beforeAll(async () => {
  await useDatabase(dynamodb);
  today = await compileFunctions();
  released = version ? releasedPrograms(version) : new Map();
});
afterAll(stop);

const violationOf = async (name: string, ...all: readonly Programs[]) => {
  const programs = new Map(all.flatMap((each) => [...each]));
  return (await checkCase({ programs, dynamodb }, caseNamed(name))).violation;
};

// Those with faults run in the nightly job.
test.for(releaseCases.filter(({ faults }) => faults === 0).map(({ name }) => name))(
  'no schedule of %s violates anything, of the newest release and today',
  async (name, { skip }) => {
    skip(!version, 'There is no release yet.');
    expect(await violationOf(name, today, released)).toBeUndefined();
  },
);

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
    'a message is never done',
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
    const before = new Map([...today].map(([name, program]) => [releasedName(name), program]));
    expect((await violationOf(beside, today, changed, before))?.messages[0]).toContain(violation);
  },
);
