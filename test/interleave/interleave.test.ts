import { stop } from 'esbuild';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { caseNamed } from './cases.ts';
import { checkCase, type Platform, runOnce } from './check.ts';
import { Follower, readLine } from './line.ts';
import { withMutant } from './mutants.ts';
import { compileFunctions } from './programs.ts';
import { useDatabase } from './schedule-table.ts';

const { dynamodb } = inject('stack').endpoints;
let platform: Platform;
beforeAll(async () => {
  await useDatabase(dynamodb);
  platform = { programs: await compileFunctions(), dynamodb };
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
  'resend-off',
  'reused-off',
  'restore',
  'provision',
  'provision+fault',
  'deliver-twice',
  'mail-events',
  'mail-events+fault',
  'redact',
  'relay+fault',
  'publish+fault',
])('no schedule of %s violates anything', async (name) => {
  expect((await checkCase(platform, caseNamed(name))).violation).toBeUndefined();
});

test.each(['resend', 'resend-keys', 'create', 'create-unkeyed+fault'])(
  'no schedule of %s violates anything, and its reduction leaves one for each ending',
  async (name) => {
    const reduced = await checkCase(platform, caseNamed(name), { isReduced: true });
    const all = await checkCase(platform, caseNamed(name), { isReduced: false });
    expect(reduced.violation).toBeUndefined();
    expect([...reduced.endings].sort()).toEqual([...all.endings].sort());
  },
);

test('a line that the schedule does not follow is an error', async () => {
  const follow = async (line: string) => {
    const { caseName, steps } = readLine(line);
    const follower = new Follower(steps, true);
    await runOnce(platform, caseNamed(caseName), follower.choose);
    return follower.left;
  };
  await expect(follow('resend A1 A9')).rejects.toThrow(
    'A9:done is not possible here, only B1 (done); A2 (done).',
  );
  expect(await follow('resend A1 A2 A3 B1 B9')).toMatchObject([{ name: 'B9' }]);
});

/** Schedules that were found, each with the bug that it shows and the function that has it. */
test.each([
  ['skip-claim', 'resend-offer', 'resend A1 A2 A3 B1'],
  ['lost-update', 'resend-offer', 'resend-keys A1 A2 B1 B2 B3 A3'],
  ['claim-never-expires', 'resend-offer', 'resend-month-off A1 A2 time B1 B2 C1 C2'],
  ['record-deleted', 'resend-offer', 'resend-alone+2faults A1 A2 A3:lost A4:refused A3~ A5'],
  ['own-item-refused', 'create-sandbox', 'create-unkeyed+fault A1:lost A1~ A2'],
  ['stable-at-once', 'approve-payment-request', 'restore B1 B2 B3 B4 B5 B6 A1 A2 A3 A4 A5'],
  ['event-not-retried', 'record-mail-event', 'deliver A1 A2 A3 B1 B2 B3 C1 A4 C2'],
])('the bug %s of %s is shown by %s, which is well without it', async (bug, name, line) => {
  const { caseName, steps } = readLine(line);
  const violations = async (isStrict: boolean, programs: Platform['programs']) => {
    const { choose } = new Follower(steps, isStrict);
    return (await runOnce({ programs, dynamodb }, caseNamed(caseName), choose)).violations;
  };
  const wrong = await compileFunctions([withMutant(bug)], [name]);
  expect(await violations(true, new Map([...platform.programs, ...wrong]))).not.toEqual([]);
  // Where the code is right, its calls may be others.
  expect(await violations(false, platform.programs)).toEqual([]);
});
