import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { type GivenService, givenVariable } from '../../bin/smoke/given-service.ts';
import { childEnvironment } from '../support/child-environment.ts';

/** The titles of the tests that run against a release, and the number of those that do not. */
const runAgainst = async (release?: string) => {
  const given: GivenService = {
    url: 'http://nowhere.invalid',
    ...(release && { release }),
    limits: { requestsAtOnce: 1, callMs: 1000 },
  };
  const vitest = spawn(
    'node_modules/.bin/vitest',
    ['run', '--config', 'test/rehearsal/since.config.ts'],
    { env: { ...childEnvironment(), [givenVariable]: JSON.stringify(given) } },
  );
  const { testResults, numPendingTests } = JSON.parse(await text(vitest.stdout));
  const [{ assertionResults }] = testResults;
  const passed = assertionResults
    .filter(({ status }: { status: string }) => status === 'passed')
    .map(({ title }: { title: string }) => title);
  return { passed, skipped: numPendingTests };
};

test("a frozen release is not expected to do what only newer ones do; today's code is", async () => {
  const [frozen, today] = await Promise.all([runAgainst('1.9.3'), runAgainst()]);

  const held = ['holds in every release', 'holds since 1.9.0'];
  expect(frozen).toEqual({ passed: held, skipped: 2 });
  const all = [...held, 'holds since 1.10.0', 'holds since 2.0.0'];
  expect(today).toEqual({ passed: all, skipped: 0 });
});
