import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp, withoutValidation } from '../../lib/app.ts';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import type { SynthesizedTemplate } from '../support/read-template.ts';
import { type Files, readFiles, unpack, writeFiles } from './archive.ts';
import { pathOf } from './kept-releases.ts';

/** The stages that a release freezes, as users deploy them. */
export const frozenStages = [
  { stage: 'dev', sender: 'offers@example.com' },
  { stage: 'prod', sender: 'offers@example.com', alarmEmail: 'operators@example.com' },
] as const;

type FrozenStage = (typeof frozenStages)[number]['stage'];

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

/** The frozen template of a stage. */
export const frozenTemplate = (version: string, stage: FrozenStage): SynthesizedTemplate => {
  const files = Object.entries(unpack(readFileSync(pathOf(version, assembliesFile))));
  const [, text = ''] =
    files.find(([path]) => path.startsWith(`${stage}/`) && path.endsWith('.template.json')) ?? [];
  return JSON.parse(text);
};

/** A frozen assembly as a directory, to run or deploy, which is removed when this process ends. */
export const unpackAssembly = async (version: string, stage: FrozenStage): Promise<string> => {
  const directory = buildDirectory();
  await writeFiles(directory, unpack(readFileSync(pathOf(version, assembliesFile))));
  return join(directory, stage);
};
