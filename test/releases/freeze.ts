import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { startProgress } from '../../bin/local-run/start-progress.ts';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import project from '../../package.json' with { type: 'json' };
import { pack, writeFiles } from './archive.ts';
import { assembliesFile, freezeAssemblies } from './assemblies.ts';
import { clientUse } from './client-files.ts';
import { describeCommands } from './commands.ts';
import { writeData } from './data.ts';
import { freezeData } from './freeze-data.ts';
import { describeStages } from './frozen-stages.ts';
import { pathOf } from './kept-releases.ts';

const command = new Command('npm run freeze --')
  .description(
    'Freezes this version in test/releases, for the tests of later versions: what it deploys, what it stores and what others rely on. It runs the service to make the data, and takes about six minutes.',
  )
  .addHelpText(
    'after',
    '\nThe version is that of package.json. A version that is frozen already stays as it is.\n\nExit codes: 0 frozen, 1 otherwise; then nothing is written.',
  )
  .parse();

const { version } = project;
const folder = pathOf(version, '');
if (existsSync(folder)) {
  command.error(`error: ${version} is frozen already. A release does not change.`);
}

const progress = startProgress();
// It lies beside the folder, so that moving it there is one step.
const unfinished = mkdtempSync(pathOf('.freezing-', ''));
process.once('exit', () => rmSync(unfinished, { recursive: true, force: true }));
const write = (file: string, content: string | Buffer) =>
  writeFileSync(join(unfinished, file), content);
const writeJson = (file: string, value: unknown) =>
  write(file, `${JSON.stringify(value, null, 2)}\n`);

progress.say('Synthesizing the stages');
const assemblies = await freezeAssemblies();
writeJson('settings.json', await describeStages());
writeJson('commands.json', await describeCommands());
progress.say('Compressing them');
write(assembliesFile, pack(assemblies));
copyFileSync('openapi.json', join(unfinished, 'openapi.json'));
write('client-use.ts', clientUse);

const directory = buildDirectory();
await writeFiles(directory, assemblies);
const assemblyDirectory = join(directory, 'dev');

writeData(
  unfinished,
  await freezeData(assemblyDirectory, directory, (step) =>
    progress.say(`Running a history: ${step}`),
  ),
);
renameSync(unfinished, folder);
progress.end();
console.log(`${version} is frozen in ${folder}. Commit it.`);
process.exit(0);
