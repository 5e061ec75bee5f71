import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildDirectory } from '../../lib/build-directory.ts';
import { bundleFunction } from '../../lib/bundles.ts';
import { trimPlugins } from '../../lib/trims.ts';
import { withChanges } from '../support/changed-sources.ts';
import { breaks } from './breaks.ts';
import { adminScript, changedAdminScript } from './changed-admin.ts';
import { type Check, checks } from './checks.ts';
import { releases } from './release.ts';
import { type Served, serveRelease } from './served.ts';

describe.each(releases())('today’s code on the data of %s', (version) => {
  let served: Served;
  beforeAll(async () => {
    served = await serveRelease(version);
  });
  afterAll(() => served?.service.stop());

  const deploy = async (name: string, plugins = trimPlugins()) => {
    const directory = buildDirectory();
    await bundleFunction(name, directory, plugins);
    await served.service.stack.replaceCode(name, directory);
  };

  test.each(Object.entries<Check>(checks))('%s', async (_, check) => {
    await check(served, adminScript);
  });

  test.each(breaks)('it is noticed when $about', async ({ about, check, functions, changes }) => {
    for (const name of functions) await deploy(name, [withChanges(about, changes), ...trimPlugins()]);
    const isOfCommands = functions.length === 0;
    const script = isOfCommands ? await changedAdminScript(about, changes) : adminScript;
    await expect(checks[check](served, script)).rejects.toMatchObject({ name: 'AssertionError' });
    for (const name of functions) await deploy(name);
  });

  test('with its own code again, all of it holds', async () => {
    for (const check of Object.values<Check>(checks)) await check(served, adminScript);
  });
});
