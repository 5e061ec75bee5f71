import { account, region } from '../aws-account.ts';
import { type Lookup, resolve } from './intrinsics.ts';
import { type Addresses, type PhysicalId, physicalId } from './physical-ids.ts';
import { nameOf, requirePlainName } from './resource-names.ts';
import type { ResourceShape } from './resource-shape.ts';
import { typesNotRun, typesWithoutEffect } from './resource-types.ts';
import { describeIssue, issueLines } from './schema-errors.ts';
import type { Template } from './template.ts';

/** One resource of the template. */
export interface Resource<Properties> {
  readonly logicalId: string;
  /** In AWS. */
  readonly name: string;
  readonly properties: Properties;
}

/** Reads the resources of a template, and remembers what cannot run here. */
export class TemplateReader {
  readonly template: Template;
  readonly #addresses: Addresses;
  readonly #typesRead = new Set<string>();
  readonly #rejections: string[] = [];

  /** @param addresses what `Ref` and `Fn::GetAtt` return of services that run */
  constructor(template: Template, addresses: Addresses) {
    this.template = template;
    this.#addresses = addresses;
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
    return Object.entries(this.template.resources)
      .filter(([, { Type }]) => Type === shape.type)
      .flatMap(([logicalId, { Properties, Condition }]) =>
        this.#attempt(logicalId, () => {
          if (Condition !== undefined) throw new Error('Condition is not supported');
          const properties = this.#parse(shape, Properties);
          requirePlainName(this.template, logicalId);
          return make({ logicalId, name: nameOf(this.template, logicalId), properties });
        }),
      );
  }

  outputs(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(this.template.outputs).flatMap(([name, { Value }]) =>
        this.#attempt(`Output ${name}`, () => [name, String(this.resolve(Value))]),
      ),
    );
  }

  /** Records why the template cannot run here, in sentences about the resource `name`. */
  reject(name: string, ...sentences: readonly string[]): void {
    for (const each of sentences) this.#rejections.push(`  ${name}: ${each.replace(/\.?$/, '.')}`);
  }

  /** Rejects each resource of a type that nothing has read, unless it has no effect here. */
  rejectOtherTypes(): void {
    for (const [logicalId, { Type }] of Object.entries(this.template.resources)) {
      const known = [this.#typesRead, typesWithoutEffect, typesNotRun];
      if (!known.some((types) => types.has(Type)))
        this.reject(logicalId, `${Type} is not supported`);
    }
  }

  /** @throws Error that names everything that cannot run here */
  requireRunnable(): void {
    if (this.#rejections.length === 0) return;
    throw new Error(['The template cannot run on this machine:', ...this.#rejections].join('\n'));
  }

  /** @throws Error when the value cannot be resolved here */
  resolve(value: unknown): unknown {
    return resolve(value, this.#lookup);
  }

  readonly #lookup: Lookup = {
    ref: (name) => pseudoParameters[name] ?? this.#physicalId(name).ref,
    attribute: (logicalId, attribute) => {
      const value = this.#physicalId(logicalId).attributes[attribute];
      if (value !== undefined) return value;
      throw new Error(`${logicalId}.${attribute} has no value in the local run`);
    },
  };

  #physicalId(logicalId: string): PhysicalId {
    const resource = this.template.resources[logicalId];
    if (resource === undefined) throw new Error(`The template has no resource ${logicalId}`);
    const { Type: type, Properties } = resource;
    const name = nameOf(this.template, logicalId);
    const property = (key: string) => String(this.resolve(Properties[key]));
    return physicalId({ type, logicalId, name, property }, this.#addresses);
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

  /** What `make` returns, if anything; a rejection if it throws. */
  #attempt<Made>(name: string, make: () => Made): Made[] {
    try {
      return [make()];
    } catch (error) {
      this.reject(name, ...(error as Error).message.split('\n'));
      return [];
    }
  }
}

const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::AccountId': account,
  'AWS::Partition': 'aws',
  'AWS::Region': region,
  'AWS::URLSuffix': 'amazonaws.com',
};
