import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startEngine } from '../../lib/local/local-engine.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { writeFiles } from './archive.ts';
import { freezeAssemblies, frozenStages } from './assemblies.ts';

test('frozen assemblies are the same each time, name no path of this machine, and run', async () => {
  const files = await freezeAssemblies();
  expect(await freezeAssemblies()).toEqual(files);
  for (const text of Object.values(files)) expect(text).not.toContain(`${process.cwd()}/`);

  const directory = temporaryDirectory();
  await writeFiles(directory, files);
  for (const { stage } of frozenStages) {
    const stack = await startEngine({
      assemblyDirectory: join(directory, stage),
      log: () => {},
    });
    onTestFinished(() => stack.stop());
    expect((await fetch(`${stack.url}/v1/sandboxes`)).status).toBe(401);
  }
});
