import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { account, arn, functionArn, functionName, queueUrl, region } from '../aws-account.ts';
import { notRun, requireSupported, supported, withoutEffect } from './supported.ts';

export interface Resource {
  readonly logicalId: string;
  /** In AWS. */
  readonly name: string;
  /** Resolved. Only their names are checked: CloudFormation's reference says what they hold. */
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readonly properties: any;
}

interface RawResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Condition?: string;
}

interface Asset {
  readonly source: { readonly path: string };
  readonly destinations: Readonly<Record<string, { readonly objectKey: string }>>;
}

/** The properties by which a template can name a resource itself. */
const nameProperties = ['QueueName', 'TableName', 'StageName', 'DomainName', 'Name'];

const arnPrefixes: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::Table': 'table/',
  'AWS::Events::EventBus': 'event-bus/',
  'AWS::Lambda::Function': 'function:',
};

const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::AccountId': account,
  'AWS::Partition': 'aws',
  'AWS::Region': region,
  'AWS::URLSuffix': 'amazonaws.com',
};

/** A synthesized stack: its resources and its assets. It remembers what cannot run here. */
export class Template {
  /** The streams of the tables, by logical id, once they exist. */
  streamArns: ReadonlyMap<string, string> = new Map();
  readonly #stackName: string;
  readonly #resources: Readonly<Record<string, RawResource>>;
  readonly #outputs: Readonly<Record<string, { readonly Value: unknown }>>;
  /** The directories that are uploaded, by their S3 keys. */
  readonly #assets = new Map<string, string>();
  readonly #sqsUrl: string;
  readonly #rejections: string[] = [];

  /**
   * @param sqsUrl where queues respond: their URLs are values of the template
   * @throws Error unless the directory is a cloud assembly with exactly one stack
   */
  constructor(assemblyDirectory: string, sqsUrl: string) {
    const read = (file: string) => JSON.parse(readFileSync(join(assemblyDirectory, file), 'utf8'));
    const { artifacts } = read('manifest.json');
    const stacks = Object.keys(artifacts).filter(
      (name) => artifacts[name].type === 'aws:cloudformation:stack',
    );
    const [stack = ''] = stacks;
    if (stacks.length !== 1) {
      throw new Error(`${assemblyDirectory} holds ${stacks.length} stacks; one can run locally`);
    }
    const { templateFile, stackName = stack } = artifacts[stack].properties;
    const { Resources, Outputs = {} } = read(templateFile);
    this.#stackName = stackName;
    this.#resources = Resources;
    this.#outputs = Outputs;
    this.#sqsUrl = sqsUrl;
    const assets = artifacts[`${stack}.assets`]?.properties.file;
    const { files = {} } = assets ? read(assets) : {};
    for (const { source, destinations } of Object.values<Asset>(files)) {
      for (const { objectKey } of Object.values(destinations)) {
        this.#assets.set(objectKey, join(assemblyDirectory, source.path));
      }
    }
  }

  /**
   * What `make` returns for each resource of a type, in the template's order. What has a property
   * that is not supported, or makes `make` throw, is left out: `requireRunnable` names it.
   */
  read<Made>(type: string, make: (resource: Resource) => Made): Made[] {
    const ofType = Object.entries(this.#resources).filter(([, { Type }]) => Type === type);
    return ofType.flatMap(([logicalId, resource]) =>
      this.#attempt(logicalId, () => {
        const { Properties = {}, Condition } = resource;
        if (Condition !== undefined) throw new Error('Condition is not supported');
        requireSupported(supported[type] ?? '', Properties);
        const properties = this.resolve(Properties);
        return make({ logicalId, name: this.#named(logicalId).name, properties });
      }),
    );
  }

  /** The types of the template that would have an effect, and have none here. */
  get notRun(): string[] {
    const types = new Set(Object.values(this.#resources).map(({ Type }) => Type));
    return [...notRun].filter((type) => types.has(type));
  }

  outputs(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(this.#outputs).flatMap(([name, { Value }]) =>
        this.#attempt(`Output ${name}`, () => [name, String(this.resolve(Value))]),
      ),
    );
  }

  /**
   * What the log calls each resource, by its name in AWS: the name that the template gives it, what
   * follows the colon in its description (`Payments: deliver-offer`), or its logical id without the
   * hash that the CDK appends.
   */
  labels(): ReadonlyMap<string, string> {
    return new Map(
      Object.entries(this.#resources).map(([logicalId, resource]) => {
        const [, described] = /: (\S+)$/.exec(String(resource.Properties?.Description)) ?? [];
        const label = ownName(resource) ?? described ?? logicalId.replace(/[\dA-F]{8}$/, '');
        return [this.#named(logicalId).name, label];
      }),
    );
  }

  /**
   * Where a function's code lies: the asset that `cdk deploy` would upload under this S3 key.
   *
   * @throws Error when there is none
   */
  assetDirectory(s3Key: string): string {
    const directory = this.#assets.get(s3Key);
    if (directory !== undefined) return directory;
    throw new Error(`Code: no directory of the assembly is uploaded as ${s3Key}`);
  }

  /** Records why the template cannot run here, in a sentence about the resource `name`. */
  reject(name: string, sentence: string): void {
    this.#rejections.push(`  ${name}: ${sentence.replace(/\.?$/, '.')}`);
  }

  /** Rejects the resources of the types that nothing here reads. */
  rejectOtherTypes(): void {
    for (const [logicalId, { Type }] of Object.entries(this.#resources)) {
      const isKnown = Type in supported || withoutEffect.has(Type) || notRun.has(Type);
      if (!isKnown) this.reject(logicalId, `${Type} is not supported`);
    }
  }

  /** @throws Error that names everything that cannot run here */
  requireRunnable(): void {
    if (this.#rejections.length === 0) return;
    throw new Error(['The template cannot run on this machine:', ...this.#rejections].join('\n'));
  }

  /**
   * Resolves every intrinsic function inside a value of the template.
   *
   * @throws Error on an unknown one, and on a dynamic reference
   */
  resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.resolve(item));
    if (typeof value === 'string' && value.includes('{{resolve:')) {
      throw new Error(`the dynamic reference ${value} is not resolved by the local run`);
    }
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [[name, argument] = ['', undefined]] = entries;
    if (name === 'Ref' || name.startsWith('Fn::')) return this.#intrinsic(name, argument);
    return Object.fromEntries(entries.map(([key, item]) => [key, this.resolve(item)]));
  }

  // biome-ignore lint/suspicious/noExplicitAny: each function has arguments of its own.
  #intrinsic(name: string, argument: any): unknown {
    switch (name) {
      case 'Ref':
        return this.#ref(argument);
      case 'Fn::GetAtt':
        return this.#attribute(argument[0], argument[1]);
      case 'Fn::Join':
        return argument[1].map((part: unknown) => this.resolve(part)).join(argument[0]);
      case 'Fn::Sub':
        return argument.replaceAll(/\$\{([^}]+)\}/g, (_: string, each: string) => this.#ref(each));
      case 'Fn::Select':
        return (this.resolve(argument[1]) as unknown[])[Number(argument[0])];
      case 'Fn::Split':
        return String(this.resolve(argument[1])).split(argument[0]);
    }
    throw new Error(`${name} is not resolved by the local run`);
  }

  /**
   * What `Ref` returns, from "Return values" on each type's page of CloudFormation's reference: for
   * many types their name.
   */
  #ref(logicalId: string): string {
    const parameter = pseudoParameters[logicalId];
    if (parameter !== undefined) return parameter;
    const { Type, Properties = {}, name } = this.#named(logicalId);
    const version = (suffix: unknown) =>
      `${functionArn(functionName(String(this.resolve(Properties.FunctionName))))}:${suffix}`;
    const others: Readonly<Record<string, () => string>> = {
      'AWS::ApiGateway::Authorizer': () => logicalId,
      'AWS::ApiGateway::Resource': () => logicalId,
      // An id of letters and digits, because it becomes part of a host name.
      'AWS::ApiGateway::RestApi': () => logicalId.toLowerCase(),
      'AWS::Lambda::Alias': () => version(Properties.Name),
      'AWS::Lambda::Version': () => version(1),
      'AWS::SQS::Queue': () => queueUrl(this.#sqsUrl, name),
    };
    return others[Type]?.() ?? name;
  }

  /** What `Fn::GetAtt` returns: of what does not run here, a text that nothing reads. */
  #attribute(logicalId: string, attribute: string): string {
    const { Type, name } = this.#named(logicalId);
    if (attribute === 'StreamArn') return this.streamArns.get(logicalId) ?? '';
    if (attribute === 'QueueName') return name;
    if (attribute !== 'Arn') return `${name}-${attribute}`;
    const [, service = ''] = Type.toLowerCase().split('::');
    return arn(service, `${arnPrefixes[Type] ?? ''}${name}`);
  }

  /** A resource with its name in AWS: the template's own, else `<stack>-<logical id>`. */
  #named(logicalId: string): RawResource & { readonly name: string } {
    const resource = this.#resources[logicalId];
    if (!resource) throw new Error(`The template has no resource ${logicalId}`);
    return { ...resource, name: ownName(resource) ?? `${this.#stackName}-${logicalId}` };
  }

  /** What `make` returns, if anything; a rejection if it throws. */
  #attempt<Made>(name: string, make: () => Made): Made[] {
    try {
      return [make()];
    } catch (error) {
      for (const line of (error as Error).message.split('\n')) this.reject(name, line);
      return [];
    }
  }
}

const ownName = ({ Properties = {} }: RawResource): string | undefined =>
  nameProperties.map((each) => Properties[each]).find((name) => typeof name === 'string');
