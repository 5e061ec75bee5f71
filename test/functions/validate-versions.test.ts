import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, onTestFinished, test } from 'vitest';
import { documents, table } from '../../functions/store/client.ts';
import { bundleFunctions } from '../../lib/bundles/bundles.ts';
import { LambdaFunction } from '../../lib/local/local-engine.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { useFunctions } from '../support/use-functions.ts';
import {
  arnOf,
  released,
  report,
  reported,
  type Version,
  type Versions,
  validator,
} from '../support/validated-release.ts';

const { deployed } = await useFunctions();

const good: Versions = new Map(released.map((name) => [arnOf(name), deployed(name)]));

const lambda = (name: string, codeDirectory: string, environment: Record<string, string> = {}) => {
  const settings = {
    name,
    codeDirectory,
    handler: 'index.handler',
    // The hook's in lib/release-validation.ts: it starts ten versions, one after another.
    timeoutMs: 300_000,
    memoryMb: 1024,
    environment: { POWERTOOLS_SERVICE_NAME: name, ...environment },
  };
  const made = new LambdaFunction(settings, () => {});
  onTestFinished(() => made.stop());
  return made;
};

const directoryOf = await bundleFunctions();
const startHook = async (environment: Record<string, string>) =>
  lambda(validator, directoryOf(validator), environment);

const withBroken = (name: string, version: Version): Versions =>
  new Map([...good, [arnOf(name), version]]);

test('the hook of a deployment reports that versions succeed which answer their probes, and writes nothing', async () => {
  const items = async () =>
    (await documents.send(new ScanCommand({ TableName: table(), ConsistentRead: true }))).Items;
  const before = await items();

  expect(await reported(startHook, good)).toEqual(report('Succeeded'));

  expect(await items()).toEqual(before);
});

test('the hook of a deployment waits for the concurrency that requests and other hooks use', async () => {
  expect(await reported(startHook, good, 3)).toEqual(report('Succeeded'));
});

test.each(['approve-payment-request', 'authorize', 'list-sandboxes', 'resend-offer'])(
  'a version of %s that cannot reach its table is not released',
  async (name) => {
    const broken = deployed(name, { TABLE_NAME: 'no-table' });
    expect(await reported(startHook, withBroken(name, broken))).toEqual(report('Failed'));
  },
);

test.each(released)('a version of %s that does not start is not released', async (name) => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'index.mjs'), `import 'missing'; export const handler = () => {};`);
  const broken = lambda(name, directory);
  expect(await reported(startHook, withBroken(name, broken))).toEqual(report('Failed'));
});
