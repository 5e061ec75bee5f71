import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { type Bundles, bundleFunction, bundleFunctions } from '../../lib/bundles/bundles.ts';
import { trimPlugins } from '../../lib/bundles/trims.ts';
import { adminScript } from '../admin/run-admin.ts';
import { bundleAdmin } from '../support/bundle-admin.ts';
import { withChanges } from '../support/changed-sources.ts';
import { breaks } from './breaks.ts';
import { type Check, checks } from './checks.ts';
import { releases } from './kept-releases.ts';
import { type Served, serveRelease } from './served.ts';

describe.each(releases())('today’s code on the data of %s', (version) => {
  let served: Served;
  let ownCode: Bundles;
  beforeAll(async () => {
    [served, ownCode] = await Promise.all([serveRelease(version), bundleFunctions()]);
  });
  afterAll(() => served?.service.stop());

  test.each(Object.entries<Check>(checks))('passes the check “%s”', async (_, check) => {
    await check(served, adminScript);
  });

  test.each(breaks)('it is noticed when $about', async ({ about, check, functions, changes }) => {
    const { stack } = served.service;
    for (const name of functions) {
      const directory = buildDirectory();
      await bundleFunction(name, directory, [withChanges(about, changes), ...trimPlugins()]);
      await stack.replaceCode(name, directory);
    }
    const isOfCommands = functions.length === 0;
    const script = isOfCommands ? await bundleAdmin(withChanges(about, changes)) : adminScript;
    await expect(checks[check](served, script)).rejects.toMatchObject({ name: 'AssertionError' });
    for (const name of functions) await stack.replaceCode(name, ownCode(name));
  });

  test('every check passes again with the code as it is', async () => {
    for (const check of Object.values<Check>(checks)) await check(served, adminScript);
  });
});
