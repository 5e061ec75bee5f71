import { stop } from 'esbuild';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { Services } from './calls.ts';
import { type Case, cases } from './cases.ts';
import { checkCase, type World } from './check.ts';
import { useDatabase } from './database.ts';
import { compileFunctions, runSchedule } from './explore.ts';
import { Follower, readLine } from './line.ts';
import { withMutant } from './mutants.ts';

const { dynamodb } = inject('stack').endpoints;
let world: World;
beforeAll(async () => {
  await useDatabase(dynamodb);
  world = { programs: await compileFunctions(), dynamodb };
});
afterAll(stop);

const find = (name: string): Case => {
  const found = cases.find((each) => each.name === name);
  if (!found) throw new Error(`There is no case ${name}.`);
  return found;
};

// The smaller ones; a job in the night runs them all.
test.each([
  'resend',
  'approve',
  'approve-again',
  'create',
  'resend-mixed',
  'resend-keys',
  'approve-reused',
  'managers',
  'resend-lease',
  'create-lease',
  'resend-month',
  'resend-month-off',
  'restore',
  'provision',
  'mail-events',
  'create-unkeyed+fault',
  'relay+fault',
  'publish+fault',
])('no schedule of %s violates anything', async (name) => {
  expect((await checkCase(world, find(name))).violation).toBeUndefined();
});

test.each(['resend', 'resend-keys', 'create', 'create-unkeyed+fault'])(
  'the reduction of %s leaves a schedule for each outcome',
  async (name) => {
    const reduced = await checkCase(world, find(name), { isReduced: true });
    const all = await checkCase(world, find(name), { isReduced: false });
    expect([...reduced.outcomes].sort()).toEqual([...all.outcomes].sort());
  },
);

/** Schedules that were found, each with the bug that it shows. */
const lines: readonly (readonly [bug: string, line: string])[] = [];

describe.each(lines)('the bug %s', (bug, line) => {
  const { caseName, steps } = readLine(line);
  const violations = async (isStrict: boolean, programs: World['programs']) => {
    const { choose } = new Follower(steps, isStrict);
    return (await runSchedule(programs, new Services(dynamodb), find(caseName), choose)).violations;
  };

  test('is shown by its schedule, which is well without it', async () => {
    const [wrong] = (await violations(true, await compileFunctions([withMutant(bug)]))) ?? [];
    expect(wrong).toBeDefined();
    expect(await violations(false, world.programs)).toEqual([]);
  });
});
