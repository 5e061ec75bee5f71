import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** `manifest.json` of a cloud assembly, as far as it is read here. */
const Manifest = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      properties: z
        .object({
          templateFile: z.string().optional(),
          stackName: z.string().optional(),
          file: z.string().optional(),
        })
        .optional(),
    }),
  ),
});

const AssetManifest = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.object({ path: z.string().optional(), packaging: z.string().optional() }),
      destinations: z.record(z.string(), z.object({ objectKey: z.string() })),
    }),
  ),
});

const TemplateFile = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: z.record(z.string(), z.unknown()).default({}),
      Condition: z.string().optional(),
    }),
  ),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown() })).default({}),
});

/** A synthesized stack: its template, and its assets. */
export interface Template {
  readonly stackName: string;
  /** By logical id. */
  readonly resources: Readonly<z.infer<typeof TemplateFile>['Resources']>;
  readonly outputs: Readonly<z.infer<typeof TemplateFile>['Outputs']>;
  /**
   * Where a function's code lies: the asset that `cdk deploy` would upload under this S3 key.
   *
   * @throws Error when there is none
   */
  readonly assetDirectory: (s3Key: string) => string;
}

/** @throws Error unless the directory is a cloud assembly with exactly one stack */
export const loadTemplate = (assemblyDirectory: string): Template => {
  const { artifacts } = Manifest.parse(readJson(assemblyDirectory, 'manifest.json'));
  const stacks = Object.entries(artifacts).filter(
    ([, { type }]) => type === 'aws:cloudformation:stack',
  );
  const [stack] = stacks;
  const templateFile = stack?.[1].properties?.templateFile;
  if (stack === undefined || templateFile === undefined || stacks.length > 1) {
    throw new Error(`${assemblyDirectory} holds ${stacks.length} stacks; one can run locally`);
  }
  const { Resources, Outputs } = TemplateFile.parse(readJson(assemblyDirectory, templateFile));
  const assetFile = artifacts[`${stack[0]}.assets`]?.properties?.file;
  const assets = assetFile
    ? Object.values(AssetManifest.parse(readJson(assemblyDirectory, assetFile)).files)
    : [];
  return {
    stackName: stack[1].properties?.stackName ?? stack[0],
    resources: Resources,
    outputs: Outputs,
    assetDirectory: (s3Key) => {
      const { source } =
        assets.find(({ destinations }) =>
          Object.values(destinations).some(({ objectKey }) => objectKey === s3Key),
        ) ?? {};
      if (source?.path === undefined || source.packaging !== 'zip') {
        throw new Error(`No directory in ${assemblyDirectory} is uploaded as ${s3Key}`);
      }
      return join(assemblyDirectory, source.path);
    },
  };
};

const readJson = (directory: string, file: string): unknown =>
  JSON.parse(readFileSync(join(directory, file), 'utf8'));
