import { join } from 'node:path';
import type { TestCase } from 'vitest/node';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { AdminError, InterruptedError } from '../command-line/admin-error.ts';
import { colourTerminals } from '../command-line/colour-terminals.ts';
import { connect, type Service, type ServiceChoice } from '../command-line/connect.ts';
import { importStages } from '../command-line/import-stages.ts';
import { reportError } from '../command-line/report-error.ts';
import { readStackFile } from '../stack-file/stack-file.ts';
import { closeOldTaps } from './event-tap.ts';
import { type GivenService, givenVariable, workers } from './given-service.ts';
import { mailFaultOf } from './mail-fault.ts';
import { cleanUp, own } from './owned.ts';
import { warnWithoutPolicy } from './stack-policy.ts';

export interface SmokeOptions extends ServiceChoice {
  readonly url?: string;
  readonly token?: string;
  readonly workspace?: string;
  readonly skip: readonly string[];
  readonly junit?: string;
  readonly json?: boolean;
}

const exitOnInterrupt = (consequence: string): void => {
  process.once('SIGINT', () => {
    process.exit(reportError(new InterruptedError(`Interrupted. ${consequence}`)));
  });
};

/** @throws AdminError when nothing responds there, so that no test waits for a response */
const requireResponse = async (url: string): Promise<void> => {
  await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch(({ cause, name }) => {
    throw new AdminError(
      `The service cannot be reached at ${url} (${cause?.code ?? name}). If it is the local run, is \`npm start\` still running?`,
    );
  });
};

/** Says on which stage the tests run, and where: its bus has the account and region in its ARN. */
const announce = ({ stage }: SmokeOptions, { eventBus = '' }: Service): void => {
  if (!stage) return;
  const [, , , region, account] = eventBus.split(':');
  console.log(
    `Runs the tests of the contract, with data of their own, on the stage ${stage} in the account ${account}, region ${region}.`,
  );
};

// Longer than API Gateway caches an authorizer's response, and EventBridge takes to follow a new
// rule: 60 s.
const poll = { timeout: 75_000, interval: 300 };
const testTimeout = 100_000;

/** A title as an expression that matches it. */
const escaped = (title: string) => title.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');

/**
 * Runs the tests; Vitest sets the exit code.
 *
 * @returns what there is in the files, skipped or not
 */
const runTests = async (
  service: GivenService,
  { skip, junit, stage, url }: SmokeOptions,
  files: string[],
): Promise<TestCase[]> => {
  process.env[givenVariable] = JSON.stringify(service);
  colourTerminals();
  const { startVitest } = await import('vitest/node');
  const vitest = await startVitest('test', files, {
    config: false,
    root: join(import.meta.dirname, '../..'),
    watch: false,
    include: ['test/service/**/*.test.ts'],
    setupFiles: [
      ...(stage || url ? ['bin/command-line/use-proxy.ts'] : []),
      'test/support/running-stack.ts',
    ],
    isolate: false,
    maxWorkers: workers,
    testTimeout,
    hookTimeout: testTimeout,
    expect: { poll },
    reporters: ['verbose', ...(junit ? ['junit'] : [])],
    ...(junit && { outputFile: { junit } }),
    ...(skip.length > 0 && { testNamePattern: `^(?!.*(?:${skip.map(escaped).join('|')}))` }),
  });
  const tests = vitest.state.getTestModules().flatMap((file) => [...file.children.allTests()]);
  await vitest.close();
  return tests;
};

/** @throws AdminError when a run proves nothing */
const requireProof = (tests: readonly TestCase[]): void => {
  if (tests.length > 0 && tests.every((test) => test.result().state === 'skipped')) {
    throw new AdminError('No test ran: each was skipped.');
  }
};

/** Runs the tests of these files, or all, on the service of the options. */
export const smoke = async (options: SmokeOptions, files: string[]): Promise<void> => {
  const { token, workspace, stage } = options;
  const url = options.url?.replace(/\/+$/, '');
  if (url && token && !stage) {
    await requireResponse(url);
    console.log(`Runs the tests of the contract on ${url}, with the data of its token.`);
    exitOnInterrupt('Nothing was created.');
    const given = { url, token, ...(workspace && { workspace }) };
    requireProof(await runTests(given, options, files));
    return;
  }
  const service = await connect(options);
  if (stage && service.keepsData) await warnWithoutPolicy(stage);
  await requireResponse(url ?? service.url);
  announce(options, service);
  // A version without events has no bus.
  if (service.eventBus) await closeOldTaps(service.eventBus);
  const run = newOpaque();
  const ownedFile = join(buildDirectory(), 'owned');
  own(ownedFile);
  const left = `The run leaves its items, with smoke_${run} in their ids.`;
  exitOnInterrupt(left);
  const mailbox = stage ? undefined : readStackFile(options.stackFile).mailbox;
  const tests = await runTests(
    {
      url: url ?? service.url,
      run,
      ownedFile,
      author: await service.operator(),
      eventBus: service.eventBus,
      ...(mailbox && { mailbox }),
      mailFault: stage && (await mailFaultOf((await importStages())[stage] ?? {})),
    },
    options,
    files,
  );
  await cleanUp(ownedFile).catch((error) => {
    throw new AdminError(`${left} ${error.message}`);
  });
  requireProof(tests);
};
