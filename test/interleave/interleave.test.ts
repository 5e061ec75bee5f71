import { stop } from 'esbuild';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { caseNamed } from './cases/cases.ts';
import { mutantNames, mutants, withMutant } from './cases/mutants.ts';
import { compileFunctions } from './cases/programs.ts';
import { useTable } from './cases/table.ts';
import type { Platform } from './engine/case.ts';
import { checkCase } from './engine/check.ts';
import { runSchedule } from './engine/explore.ts';
import type { Program } from './engine/instance.ts';
import { Follower, readLine } from './engine/line.ts';

const { dynamodb } = inject('stack').endpoints;
let platform: Platform;
beforeAll(async () => {
  platform = { ...(await useTable(dynamodb)), programs: await compileFunctions() };
});
afterAll(stop);

// The smaller ones; a job in the night runs them all.
test.each([
  'approve',
  'managers',
  'resend-lease',
  'create-lease',
  'resend-month',
  'resend-month-off',
  'reused-off',
  'provision+fault',
  'deliver-twice',
  'mail-events+fault',
  'relay+fault',
  'publish+fault',
  'import-approve',
  'seen',
  'seen-two',
  'seen-reused',
  'seen-weak',
  'import-status',
  'import-cancel',
  'import-older',
  'import-statuses',
  'import-resend',
  'import-redact+fault',
  'import-two',
  'import-reused',
  'import-send',
  'import-send-new',
])('no schedule of %s violates anything', async (name) => {
  expect((await checkCase(platform, caseNamed(name))).violation).toBeUndefined();
});

test.each(['resend', 'resend-keys', 'create', 'create-unkeyed+fault'])(
  'no schedule of %s violates anything, and its reduction leaves one for each ending',
  async (name) => {
    const reduced = await checkCase(platform, caseNamed(name));
    const all = await checkCase(platform, caseNamed(name), false);
    expect(reduced.violation).toBeUndefined();
    expect([...reduced.endings].sort()).toEqual([...all.endings].sort());
  },
);

test.each(mutantNames.map((bug) => [bug, mutants[bug]?.[0] ?? ''] as const))(
  'the bug %s is shown by %s, which is well without it',
  async (bug, line) => {
    const { caseName, steps } = readLine(line);
    const violationsOf = async (isStrict: boolean, programs: Platform['programs']) => {
      const { choose } = new Follower(steps, isStrict);
      return (await runSchedule({ ...platform, programs }, caseNamed(caseName), choose)).violations;
    };
    const invoked = new Set<string>();
    const watch = ([name, program]: [string, Program]): [string, Program] => [
      name,
      (machine) => {
        invoked.add(name);
        return program(machine);
      },
    ];
    // Where the code is right, its calls may be others.
    expect(await violationsOf(false, new Map([...platform.programs].map(watch)))).toEqual([]);
    const wrong = await compileFunctions([withMutant(bug)], [...invoked]);
    const found = await violationsOf(true, new Map([...platform.programs, ...wrong]));
    expect(found?.length).toBeGreaterThan(0);
  },
);
