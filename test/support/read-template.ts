import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { outbox } from '../../functions/domain/outbox.ts';

export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a property holds is for the test to say.
  readonly Properties: Record<string, any>;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly UpdatePolicy?: Record<string, Record<string, unknown>>;
}

export interface SynthesizedTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
}

/** The template of the development stage, as `cdk deploy` would send it. */
export const developmentTemplate = (): SynthesizedTemplate => {
  const { assemblyDirectory } = inject('stack');
  const file = readdirSync(assemblyDirectory).find((name) => name.endsWith('.template.json'));
  return JSON.parse(readFileSync(join(assemblyDirectory, file ?? ''), 'utf8'));
};

/** The resources of a type with their logical ids, in the template's order. */
export const resourcesOf = (template: SynthesizedTemplate, type: string): [string, Resource][] =>
  Object.entries(template.Resources).filter(([, { Type }]) => Type === type);

/** The one resource of a type with its logical id. */
export const resourceOf = (template: SynthesizedTemplate, type: string): [string, Resource] => {
  const [found, ...others] = resourcesOf(template, type);
  if (!found || others.length > 0) throw new Error(`There is not one ${type} in the template.`);
  return found;
};

/** The functions by the name that they have under `functions`. */
export const functionsOf = (template: SynthesizedTemplate): Map<string, [string, Resource]> =>
  new Map(
    resourcesOf(template, 'AWS::Lambda::Function').map((entry) => [
      entry[1].Properties.Environment.Variables.POWERTOOLS_SERVICE_NAME,
      entry,
    ]),
  );

/** The logical id by which a function is called: of its alias, where it has one. */
export const calledId = (template: SynthesizedTemplate, functionName: string): string => {
  const [logicalId = ''] = functionsOf(template).get(functionName) ?? [];
  const [alias] = resourcesOf(template, 'AWS::Lambda::Alias').filter(([, { Properties }]) =>
    mentioned(Properties.FunctionName).includes(logicalId),
  );
  return alias?.[0] ?? logicalId;
};

/** The policies that are attached to a function's role. */
export const policiesOf = (
  template: SynthesizedTemplate,
  functionName: string,
): [string, Resource][] => {
  const [role = ''] = mentioned(functionsOf(template).get(functionName)?.[1].Properties.Role);
  return resourcesOf(template, 'AWS::IAM::Policy').filter(([, { Properties }]) =>
    mentioned(Properties.Roles).includes(role),
  );
};

/** What events a function of the template is given: its one event source mapping. */
export const mappingOf = (
  template: SynthesizedTemplate,
  functionName: string,
): Resource['Properties'] => {
  const called = calledId(template, functionName);
  const mappings = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').filter(
    ([, { Properties }]) => mentioned(Properties.FunctionName).includes(called),
  );
  if (mappings.length !== 1) throw new Error(`${functionName} has not one event source mapping.`);
  return mappings[0]?.[1].Properties ?? {};
};

/** The logical ids of a consumer's queue and of the queue for what it gives up. */
export const queuesOf = (template: SynthesizedTemplate, functionName: string) => {
  const [queue = ''] = mentioned(mappingOf(template, functionName).EventSourceArn);
  const { RedrivePolicy } = template.Resources[queue]?.Properties ?? {};
  const [deadLetters = ''] = mentioned(RedrivePolicy?.deadLetterTargetArn);
  return { queue, deadLetters };
};

/** The functions that consume a queue, with the name of the queue in outputs and alarms. */
export const consumers: [string, string][] = [
  ...Object.entries(outbox).map(([queue, { consumer }]): [string, string] => [queue, consumer]),
  ['MailEvents', 'record-mail-event'],
  ['Import', 'import-record'],
];

/** The logical ids and parameters that a value refers to. */
export const mentioned = (value: unknown): string[] =>
  [...JSON.stringify(value ?? null).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"([\w:]+)"/g)].map(
    ([, id = '']) => id,
  );

/** Whether a value is computed by CloudFormation, such as a reference. */
export const isIntrinsic = (value: object): boolean =>
  /^(Ref|Fn::\w+)$/.test(Object.keys(value).join());

/** A value as one text: a reference as `${Id}` or `${Id.Attribute}`, joined where it is joined. */
export const asText = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return String(value);
  const [[intrinsic, operand] = []] = Object.entries(value);
  switch (intrinsic) {
    case 'Ref':
      return `\${${operand}}`;
    case 'Fn::GetAtt':
      return `\${${operand.join('.')}}`;
    case 'Fn::Join':
      return operand[1].map(asText).join(operand[0]);
    default:
      return JSON.stringify(value);
  }
};
