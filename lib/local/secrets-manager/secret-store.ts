import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { secretArn } from '../aws-account.ts';
import { type ResourceShape, withoutEffect } from '../cloudformation/resource-shape.ts';
import type { TemplateReader } from '../cloudformation/template-reader.ts';
import { readDataFile } from '../data/data-file.ts';
import { GenerateSecretString, generateSecret } from './secret-value.ts';

const SecretProperties = z.strictObject({
  Name: z.string().optional(),
  Description: withoutEffect,
  GenerateSecretString,
});

const secretShape: ResourceShape<z.infer<typeof SecretProperties>> = {
  type: 'AWS::SecretsManager::Secret',
  schema: SecretProperties,
};

/** A secret that the template defines. */
export interface SecretDefinition {
  readonly name: string;
  /** How its first value is generated. */
  readonly options: z.infer<typeof GenerateSecretString>;
}

/** Reads the template's secrets. */
export const readSecrets = (reader: TemplateReader): SecretDefinition[] =>
  reader.read(secretShape).map(({ name, properties }) => ({
    name,
    options: properties.GenerateSecretString,
  }));

/** One value that a secret has or had. */
export interface SecretVersion {
  readonly id: string;
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
}

/** A secret with its values. */
export interface Secret {
  readonly arn: string;
  readonly name: string;
  /** By staging label. A version that has none is gone. */
  readonly versions: { readonly AWSCURRENT: SecretVersion; readonly AWSPREVIOUS?: SecretVersion };
}

/**
 * The template's secrets. A generated value is made once: `file` keeps it for the next start, so
 * that what was signed or encrypted with it stays valid as long as the data beside it.
 */
export class SecretStore {
  readonly #secrets = new Map<string, Secret>();
  readonly #file: string | undefined;

  constructor(definitions: readonly SecretDefinition[], file?: string) {
    this.#file = file;
    const kept: Record<string, Secret> =
      file !== undefined && existsSync(file)
        ? readDataFile(file, () => JSON.parse(readFileSync(file, 'utf8')))
        : {};
    for (const { name, options } of definitions) {
      const arn = secretArn(name);
      const versions = kept[arn]?.versions ?? { AWSCURRENT: version(generateSecret(options)) };
      this.#secrets.set(arn, { arn, name, versions });
    }
    this.#save();
  }

  /** By ARN or by name. */
  find(id: string): Secret | undefined {
    return this.#secrets.get(id) ?? [...this.#secrets.values()].find(({ name }) => name === id);
  }

  /** Makes a value the current one of a secret, by its ARN; the current one becomes previous. */
  put(arn: string, value: string, versionId?: string): SecretVersion {
    const secret = this.#secrets.get(arn);
    if (secret === undefined) throw new Error(`There is no secret ${arn}`);
    const added = version(value, versionId);
    const versions = { AWSCURRENT: added, AWSPREVIOUS: secret.versions.AWSCURRENT };
    this.#secrets.set(arn, { ...secret, versions });
    this.#save();
    return added;
  }

  #save(): void {
    if (this.#file === undefined) return;
    const content = JSON.stringify(Object.fromEntries(this.#secrets), null, 2);
    // Renamed when it is complete, so that a run that is killed leaves a file that can be read.
    const draft = `${this.#file}.draft`;
    writeFileSync(draft, content, { mode: 0o600 });
    renameSync(draft, this.#file);
  }
}

const version = (value: string, id: string = randomUUID()): SecretVersion => ({
  id,
  value,
  createdMs: Date.now(),
});
