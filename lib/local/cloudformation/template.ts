import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { account, region } from '../aws-account.ts';
import { type Lookup, resolve } from './intrinsics.ts';
import { nameProperty, type PhysicalId, physicalId } from './physical-ids.ts';
import type { ResourceShape } from './resource-shape.ts';
import { describeIssue, issueLines } from './schema-errors.ts';
import { typesNotRun, typesWithoutEffect } from './types-without-effect.ts';

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

/** One resource of the template. */
export interface Resource<Properties> {
  readonly logicalId: string;
  /** The name in AWS: the template's own, else `<stack>-<logical id>`. */
  readonly name: string;
  readonly properties: Properties;
}

/** A synthesized stack: its resources with every intrinsic function resolved, and its assets. */
export class Template {
  readonly stackName: string;
  readonly #assemblyDirectory: string;
  readonly #template: z.infer<typeof TemplateFile>;
  readonly #assets: z.infer<typeof AssetManifest>['files'];
  readonly #supplied = new Map<string, PhysicalId>();
  readonly #rewrites: { from: string; to: string }[] = [];
  readonly #typesRead = new Set<string>();
  /** By logical id, or by another subject of the sentence. */
  readonly #refusals = new Map<string, readonly string[]>();

  /** @throws Error unless the directory is a cloud assembly with exactly one stack */
  constructor(assemblyDirectory: string) {
    const { artifacts } = Manifest.parse(readJson(assemblyDirectory, 'manifest.json'));
    const stacks = Object.entries(artifacts).filter(
      ([, { type }]) => type === 'aws:cloudformation:stack',
    );
    const [stack] = stacks;
    const templateFile = stack?.[1].properties?.templateFile;
    if (stack === undefined || templateFile === undefined || stacks.length > 1) {
      throw new Error(`${assemblyDirectory} holds ${stacks.length} stacks; one can run locally`);
    }
    this.stackName = stack[1].properties?.stackName ?? stack[0];
    this.#assemblyDirectory = assemblyDirectory;
    this.#template = TemplateFile.parse(readJson(assemblyDirectory, templateFile));
    const assetFile = artifacts[`${stack[0]}.assets`]?.properties?.file;
    this.#assets =
      assetFile === undefined
        ? {}
        : AssetManifest.parse(readJson(assemblyDirectory, assetFile)).files;
  }

  /**
   * The resources of one type, in the template's order, without those that cannot run here:
   * `requireRunnable` names them.
   */
  read<Properties>(shape: ResourceShape<Properties>): Resource<Properties>[] {
    return this.make(shape, (resource) => resource);
  }

  /** The same, and what is made of each resource. One for which `make` throws cannot run either. */
  make<Properties, Made>(
    shape: ResourceShape<Properties>,
    make: (resource: Resource<Properties>) => Made,
  ): Made[] {
    this.#typesRead.add(shape.type);
    return this.#resources
      .filter(([, { Type }]) => Type === shape.type)
      .flatMap(([logicalId, { Properties, Condition }]) =>
        this.#attempt(logicalId, () => {
          if (Condition !== undefined) throw new Error('Condition is not supported');
          const properties = this.#parse(shape, Properties);
          return make({ logicalId, name: this.#name(logicalId), properties });
        }),
      );
  }

  /** Records why the template cannot run here, in a sentence about the resource `name`. */
  refuse(name: string, ...sentences: readonly string[]): void {
    this.#refusals.set(
      name,
      sentences.map((sentence) => `  ${name}: ${sentence.replace(/\.?$/, '.')}`),
    );
  }

  /** Refuses each resource of a type that nothing has read, unless it has no effect here. */
  refuseOtherTypes(): void {
    for (const [logicalId, { Type }] of this.#resources) {
      const isKnown = [this.#typesRead, typesWithoutEffect, typesNotRun].some((types) =>
        types.has(Type),
      );
      if (!isKnown) this.refuse(logicalId, `${Type} is not supported`);
    }
  }

  /** @throws Error that names everything found so far that cannot run here */
  requireRunnable(): void {
    if (this.#refusals.size === 0) return;
    const sentences = [...this.#refusals.values()].flat();
    throw new Error(['The template cannot run on this machine:', ...sentences].join('\n'));
  }

  /** What `Ref` or `Fn::GetAtt` is to return for a resource, now that it exists. */
  supply(logicalId: string, { ref, attributes }: PhysicalId): void {
    const known = this.#supplied.get(logicalId);
    this.#supplied.set(logicalId, {
      ...known,
      ...(ref === undefined ? {} : { ref }),
      attributes: { ...known?.attributes, ...attributes },
    });
  }

  /** Replaces an address that only AWS could answer wherever the template puts it together. */
  rewrite(from: string, to: string): void {
    this.#rewrites.push({ from, to });
  }

  /** Where a function's code lies: the asset that `cdk deploy` would upload under this S3 key. */
  assetDirectory(s3Key: string): string {
    const asset = Object.values(this.#assets).find(({ destinations }) =>
      Object.values(destinations).some(({ objectKey }) => objectKey === s3Key),
    );
    if (asset?.source.path === undefined || asset.source.packaging !== 'zip') {
      throw new Error(`No directory in ${this.#assemblyDirectory} is uploaded as ${s3Key}`);
    }
    return join(this.#assemblyDirectory, asset.source.path);
  }

  /**
   * What the log calls each resource, by its name in AWS: the name that the template gives it, what
   * follows the colon in its description (`Payments: deliver-offer`), or its logical id without the
   * hash that the CDK appends.
   */
  labels(): ReadonlyMap<string, string> {
    return new Map(
      this.#resources.flatMap(([logicalId, { Type, Properties }]) =>
        this.#attempt(logicalId, () => {
          const name = this.#name(logicalId);
          const described = /: (\S+)$/.exec(String(Properties.Description ?? ''))?.[1];
          const isNamed =
            nameProperty(Type) !== undefined && (nameProperty(Type) ?? '') in Properties;
          return [name, isNamed ? name : (described ?? logicalId.replace(/[\dA-F]{8}$/, ''))];
        }),
      ),
    );
  }

  outputs(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(this.#template.Outputs).flatMap(([name, { Value }]) =>
        this.#attempt(`Output ${name}`, () => [name, String(this.resolve(Value))]),
      ),
    );
  }

  /** The types of resources that would have an effect in AWS, and have none here. */
  notRun(): string[] {
    const types = this.#resources.map(([, { Type }]) => Type);
    return [...typesNotRun].filter((type) => types.includes(type));
  }

  resolve(value: unknown): unknown {
    return resolve(value, this.#lookup);
  }

  readonly #lookup: Lookup = {
    ref: (name) => this.#ref(name),
    attribute: (logicalId, attribute) => {
      const { [attribute]: value, Arn } = this.#physicalId(logicalId).attributes;
      if (value !== undefined) return value;
      if (this.#refusals.has(logicalId)) return Arn;
      throw new Error(`${logicalId}.${attribute} has no value in the local run`);
    },
    joined: (text) =>
      this.#rewrites.reduce((result, { from, to }) => result.replaceAll(from, to), text),
  };

  #ref(name: string): unknown {
    switch (name) {
      case 'AWS::AccountId':
        return account;
      case 'AWS::Partition':
        return 'aws';
      case 'AWS::Region':
        return region;
      case 'AWS::StackName':
        return this.stackName;
      case 'AWS::URLSuffix':
        return 'amazonaws.com';
    }
    const { ref } = this.#physicalId(name);
    if (ref !== undefined) return ref;
    // One sentence about a resource is enough: resources that mention it are not at fault.
    if (this.#refusals.has(name)) return '';
    throw new Error(`${name} has no value in the local run yet`);
  }

  #physicalId(logicalId: string): PhysicalId {
    const type = this.#template.Resources[logicalId]?.Type;
    if (type === undefined) throw new Error(`The template has no resource ${logicalId}`);
    const known = physicalId(type, this.#name(logicalId), logicalId);
    const supplied = this.#supplied.get(logicalId);
    return {
      ...known,
      ...supplied,
      attributes: { ...known.attributes, ...supplied?.attributes },
    };
  }

  /** @throws Error with a line for each property that cannot run here */
  #parse<Properties>(
    { schema }: ResourceShape<Properties>,
    { Tags: _withoutEffect, ...properties }: Readonly<Record<string, unknown>>,
  ): Properties {
    const resolved = Object.entries(properties).map(([key, value]) => [
      key,
      this.#resolveProperty(key, value),
    ]);
    const { success, data, error } = schema.safeParse(Object.fromEntries(resolved), {
      error: describeIssue,
    });
    if (!success) throw new Error(issueLines(error).join('\n'));
    return data;
  }

  #resolveProperty(key: string, value: unknown): unknown {
    try {
      return this.resolve(value);
    } catch (error) {
      throw new Error(`${key}: ${(error as Error).message}`);
    }
  }

  /** What `make` returns, if anything; a refusal if it throws. */
  #attempt<Made>(name: string, make: () => Made): Made[] {
    try {
      return [make()];
    } catch (error) {
      this.refuse(name, ...(error as Error).message.split('\n'));
      return [];
    }
  }

  #name(logicalId: string): string {
    const resource = this.#template.Resources[logicalId];
    const property = nameProperty(resource?.Type ?? '');
    const own = property === undefined ? undefined : resource?.Properties[property];
    // A refused resource needs a name only for the resources that mention it.
    const isMadeUp = property === undefined || own === undefined || this.#refusals.has(logicalId);
    return isMadeUp
      ? `${this.stackName}-${logicalId}`
      : String(this.#resolveProperty(property, own));
  }

  get #resources() {
    return Object.entries(this.#template.Resources);
  }
}

const readJson = (directory: string, file: string): unknown =>
  JSON.parse(readFileSync(join(directory, file), 'utf8'));
