import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { account, region } from '../aws-account.ts';
import { expectation } from './expectation.ts';
import { notHonoured, type ResourceShape } from './honoured.ts';
import { type Lookup, resolve } from './intrinsics.ts';
import { nameProperty, type PhysicalId, physicalId } from './physical-ids.ts';
import { hasEffect } from './types-without-effect.ts';

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

const Resources = z.record(
  z.string(),
  z.object({
    Type: z.string(),
    Properties: z.record(z.string(), z.unknown()).default({}),
    Condition: z.string().optional(),
  }),
);

const TemplateFile = z.object({
  Resources,
  Parameters: z
    .record(z.string(), z.object({ Type: z.string(), Default: z.unknown().optional() }))
    .default({}),
  Conditions: z.record(z.string(), z.unknown()).default({}),
  Mappings: z
    .record(z.string(), z.record(z.string(), z.record(z.string(), z.unknown())))
    .default({}),
  Outputs: z
    .record(z.string(), z.object({ Value: z.unknown(), Condition: z.string().optional() }))
    .default({}),
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
  /** By logical id: the resources that what runs here mentions. */
  readonly #mentioned = new Set<string>();
  readonly #notHonoured: string[] = [];
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
   * The resources of one type, in the template's order, without those whose condition is false, and
   * without those that cannot run here: `requireRunnable` names them.
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
    return this.#present()
      .filter(([, { Type }]) => Type === shape.type)
      .flatMap(([logicalId, { Properties }]) =>
        this.#attempt(logicalId, () => {
          const properties = this.#honour(shape, logicalId, Properties);
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
      this.#present().flatMap(([logicalId, { Type, Properties }]) =>
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
      Object.entries(this.#template.Outputs)
        .filter(([, { Condition }]) => this.#holds(Condition))
        .flatMap(([name, { Value }]) =>
          this.#attempt(`Output ${name}`, () => [name, String(this.resolve(Value))]),
        ),
    );
  }

  /** Adds a line to what the local run does not do as AWS does. */
  report(line: string): void {
    this.#notHonoured.push(line);
  }

  /**
   * One line for each property, and one for each type of resource, that is not honoured here
   * although it would make a difference.
   */
  notHonoured(): readonly string[] {
    const counts = new Map<string, number>();
    for (const [logicalId, { Type, Properties }] of this.#present()) {
      const isMentioned = this.#mentioned.has(logicalId);
      if (this.#typesRead.has(Type) || !hasEffect(Type, Properties, isMentioned)) continue;
      counts.set(Type, (counts.get(Type) ?? 0) + 1);
    }
    const types = [...counts].map(([type, count]) => `${count} ${type}`);
    return [...new Set(this.#notHonoured), ...types];
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
    condition: (name) => this.#holds(name),
    mapping: (map, key, attribute) => this.#template.Mappings[map]?.[key]?.[attribute],
    joined: (text) =>
      this.#rewrites.reduce((result, { from, to }) => result.replaceAll(from, to), text),
  };

  #ref(name: string): unknown {
    switch (name) {
      case 'AWS::AccountId':
        return account;
      case 'AWS::NoValue':
        return undefined;
      case 'AWS::Partition':
        return 'aws';
      case 'AWS::Region':
        return region;
      case 'AWS::StackName':
        return this.stackName;
      case 'AWS::URLSuffix':
        return 'amazonaws.com';
    }
    if (Object.hasOwn(this.#template.Parameters, name)) return this.#parameter(name);
    const { ref } = this.#physicalId(name);
    if (ref !== undefined) return ref;
    // One sentence about a resource is enough: resources that mention it are not at fault.
    if (this.#refusals.has(name)) return '';
    throw new Error(`${name} has no value in the local run yet`);
  }

  #parameter(name: string): unknown {
    const { Type = '', Default } = this.#template.Parameters[name] ?? {};
    if (Default === undefined) throw new Error(`The parameter ${name} has no default value`);
    if (Type.startsWith('AWS::SSM::')) {
      this.report(`the value of the SSM parameter ${Default}, which is its name here`);
    }
    return Default;
  }

  #physicalId(logicalId: string): PhysicalId {
    const type = this.#template.Resources[logicalId]?.Type;
    if (type === undefined) throw new Error(`The template has no resource ${logicalId}`);
    this.#mentioned.add(logicalId);
    const known = physicalId(type, this.#name(logicalId), logicalId);
    const supplied = this.#supplied.get(logicalId);
    return {
      ...known,
      ...supplied,
      attributes: { ...known.attributes, ...supplied?.attributes },
    };
  }

  /** @throws Error with a line for each property that cannot run here */
  #honour<Properties>(
    { type, honoured, withoutEffect }: ResourceShape<Properties>,
    logicalId: string,
    raw: Readonly<Record<string, unknown>>,
  ): Properties {
    // Properties without effect are not resolved: they may mention what does not exist here.
    const relevant = Object.entries(raw).filter(([key]) => !withoutEffect.includes(key));
    const resolved = Object.fromEntries(
      relevant
        .map(([key, value]): [string, unknown] => [key, this.#resolveProperty(key, value)])
        .filter(([, value]) => value !== undefined),
    );
    const { success, data, error } = honoured.safeParse(resolved, { error: expectation });
    if (!success) {
      throw new Error(
        error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('\n'),
      );
    }
    const references = JSON.stringify(resolved).match(/\{\{resolve:[^}]*\}\}/g) ?? [];
    for (const path of [...notHonoured(resolved, data, withoutEffect), ...references]) {
      this.report(`${path} of ${logicalId} (${type})`);
    }
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

  #holds(condition: string | undefined): boolean {
    if (condition === undefined) return true;
    const expression = this.#template.Conditions[condition];
    if (expression === undefined) throw new Error(`The template has no condition ${condition}`);
    return Boolean(this.resolve(expression));
  }

  #present(): [string, z.infer<typeof Resources>[string]][] {
    return Object.entries(this.#template.Resources).filter(([, { Condition }]) =>
      this.#holds(Condition),
    );
  }
}

const readJson = (directory: string, file: string): unknown =>
  JSON.parse(readFileSync(join(directory, file), 'utf8'));
