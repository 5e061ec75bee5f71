import { beforeAll, describe, expect, test } from 'vitest';
import { adminScript, runCommand, stackFile } from '../admin/run-admin.ts';
import { bundleAdmin } from '../support/bundle-admin.ts';
import { withChanges } from '../support/changed-sources.ts';
import { readData } from './data.ts';
import type { Frozen } from './frozen.ts';
import { releases } from './kept-releases.ts';
import {
  type AdminOn,
  type OperatorCheck,
  operatorBreaks,
  operatorChecks,
} from './operator-checks.ts';

/** The operators' command line as it is in a file. */
const adminOf =
  (script: string): AdminOn =>
  (table, ...args) =>
    runCommand(script, args, stackFile({ table }));

describe.each(releases())('the operators’ commands on the table of %s', (version) => {
  let frozen: Frozen;
  beforeAll(() => {
    frozen = readData(version);
  });

  test.concurrent.each(Object.entries<OperatorCheck>(operatorChecks))(
    'pass the check “%s”',
    async (_, check) => {
      await check(adminOf(adminScript), frozen);
    },
  );

  test.concurrent.each(operatorBreaks)(
    'fail the check “$check” when $about',
    async ({ about, check, changes }) => {
      const changed = adminOf(await bundleAdmin(withChanges(about, changes)));
      await expect(operatorChecks[check](changed, frozen)).rejects.toMatchObject({
        name: 'AssertionError',
      });
    },
  );
});
