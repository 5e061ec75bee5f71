import { countOf } from '../command-line/print.ts';

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: readonly string[];
  readonly UpdatePolicy?: unknown;
}

interface SynthesizedTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, unknown>>;
}

/** A part of the template that MiniStack cannot create, and why. */
interface Missing {
  readonly why: string;
  readonly matches: (resource: Resource) => boolean;
}

const isOf =
  (...types: readonly string[]): Missing['matches'] =>
  ({ Type }) =>
    types.includes(Type);

/** The only changes to the template for the rehearsal. */
const missing: readonly Missing[] = [
  { why: 'it has no dashboards', matches: isOf('AWS::CloudWatch::Dashboard') },
  { why: 'it has no saved queries', matches: isOf('AWS::Logs::QueryDefinition') },
  {
    why: 'its alarms have no metric math',
    matches: ({ Type, Properties }) =>
      Type === 'AWS::CloudWatch::Alarm' && Properties?.Metrics !== undefined,
  },
  {
    why: 'it has no CodeDeploy, so a new version gets all requests at once',
    matches: isOf('AWS::CodeDeploy::Application', 'AWS::CodeDeploy::DeploymentGroup'),
  },
  {
    why: 'its CloudFormation has no archives and no bus policies',
    matches: isOf('AWS::Events::Archive', 'AWS::Events::EventBusPolicy'),
  },
  {
    why: 'its CloudFormation has no firewall of a stage',
    matches: isOf('AWS::WAFv2::WebACLAssociation', 'AWS::WAFv2::LoggingConfiguration'),
  },
];

/**
 * Takes out of a template what MiniStack cannot create, and what refers to it: an output, and the
 * policy of the hook that only CodeDeploy calls.
 *
 * @returns also a sentence for each reason
 */
export const takeOutMissing = ({ Resources, Outputs, ...rest }: SynthesizedTemplate) => {
  const resources = Object.entries(Resources).map(
    // An alias is updated by CodeDeploy, or without this like any resource.
    ([id, { UpdatePolicy: _, ...resource }]): [string, Resource] => [id, resource],
  );
  const matching = missing.map(({ why, matches }): [string, [string, Resource][]] => [
    why,
    resources.filter(([, resource]) => matches(resource)),
  ]);
  const missingIds = matching.flatMap(([, found]) => found.map(([id]) => id));
  const refers = ([id, part]: readonly [string, unknown]) =>
    !missingIds.includes(id) && referencesIn(part).some((name) => missingIds.includes(name));
  const referring = resources.filter(refers);
  const out = [...missingIds, ...referring.map(([id]) => id)];
  const kept = resources
    .filter(([id]) => !out.includes(id))
    .map(([id, { DependsOn, ...resource }]) => {
      const left = DependsOn?.filter((name) => !out.includes(name));
      return [id, left ? { ...resource, DependsOn: left } : resource];
    });
  const template: SynthesizedTemplate = {
    ...rest,
    Resources: Object.fromEntries(kept),
    Outputs: Object.fromEntries(Object.entries(Outputs).filter((output) => !refers(output))),
  };
  const leftOut = [...matching, ['it refers to one of these', referring] as const].flatMap(
    ([why, found]) => {
      const kinds = [...new Set(found.map(([, { Type }]) => Type))].join(', ');
      const sentence = `Not deployed: ${countOf(found.length, 'resource')} (${kinds}), because ${why}.`;
      return found.length > 0 ? [sentence] : [];
    },
  );
  return { template, leftOut };
};

/** The logical ids that a part of a template refers to. */
const referencesIn = (part: unknown): string[] =>
  [...JSON.stringify(part).matchAll(/"(?:Ref":|Fn::GetAtt":\[)"(\w+)"/g)].map(([, id = '']) => id);

/** The tests of the contract that MiniStack fails, by what their titles contain, and why. */
export const failingTests: Readonly<Record<string, string>> = {
  405: 'its mock integrations do not fill in the id of the request',
  'a mail to': 'its SES sends no events to EventBridge',
  'sent twice': 'its API Gateway keeps one of repeated headers',
  'not a minute later': 'its API Gateway evaluates no conditions of an authorizer',
  '20 simultaneous': 'it does not end them in the time that a test has',
};
