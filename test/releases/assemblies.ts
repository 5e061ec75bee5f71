import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp, withoutValidation } from '../../lib/app.ts';
import { buildDirectory } from '../../lib/build-directory.ts';
import { type Files, readFiles, unpack, writeFiles } from './archive.ts';
import { pathOf } from './release.ts';

/** The stages that a release freezes, as users deploy them. */
export const frozenStages = [
  { stage: 'dev', sender: 'offers@example.com' },
  { stage: 'prod', sender: 'offers@example.com', alarmEmail: 'operators@example.com' },
] as const;

/** The archive of the assemblies in a release's folder. */
export const assembliesFile = 'assemblies.json.br';

/**
 * The synthesized stages with the bundles of their functions, `dev/…` and `prod/…`: the same for
 * the same code, wherever the project lies.
 */
export const freezeAssemblies = async (): Promise<Files> => {
  const frozen: [string, string][] = [];
  for (const context of frozenStages) {
    const options = { context, outdir: buildDirectory(), treeMetadata: false };
    const app = await createApp({ ...options, ...withoutValidation });
    for (const [path, text] of Object.entries(withoutTraces(readFiles(app.synth().directory)))) {
      frozen.push([join(context.stage, path), text]);
    }
  }
  return Object.fromEntries(frozen);
};

/** Without the metadata of constructs, which nobody deploys: their stack traces name paths. */
const withoutTraces = ({ 'manifest.json': manifest = '', ...files }: Files): Files => {
  const parsed = JSON.parse(manifest);
  for (const artifact of Object.values<Record<string, unknown>>(parsed.artifacts)) {
    delete artifact.additionalMetadataFile;
  }
  return {
    'manifest.json': JSON.stringify(parsed),
    ...Object.fromEntries(
      Object.entries(files).filter(([path]) => !path.endsWith('.metadata.json')),
    ),
  };
};

/** A frozen assembly as a directory, to run or deploy, which goes when this process ends. */
export const unpackAssembly = async (
  version: string,
  stage: (typeof frozenStages)[number]['stage'],
): Promise<string> => {
  const directory = buildDirectory();
  await writeFiles(directory, unpack(readFileSync(pathOf(version, assembliesFile))));
  return join(directory, stage);
};
