import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a property holds is for the test to say.
  readonly Properties: Record<string, any>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

export interface SynthesizedTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, unknown>>;
}

/** The template of the development stage, which the whole run tests: what `cdk deploy` would send. */
export const developmentTemplate = (): SynthesizedTemplate => {
  const { assemblyDirectory } = inject('stack');
  const file = readdirSync(assemblyDirectory).find((name) => name.endsWith('.template.json'));
  return JSON.parse(readFileSync(join(assemblyDirectory, file ?? ''), 'utf8'));
};

/** The resources of a type with their logical ids, in the template's order. */
export const resourcesOf = (template: SynthesizedTemplate, type: string): [string, Resource][] =>
  Object.entries(template.Resources).filter(([, { Type }]) => Type === type);

/** The functions by the name that they have under `functions`. */
export const functionsOf = (template: SynthesizedTemplate): Map<string, [string, Resource]> =>
  new Map(
    resourcesOf(template, 'AWS::Lambda::Function').map((entry) => [
      entry[1].Properties.Environment.Variables.POWERTOOLS_SERVICE_NAME,
      entry,
    ]),
  );
