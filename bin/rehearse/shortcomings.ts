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

/** The types of resources that MiniStack cannot create, and why. */
export const missingTypes: Readonly<Record<string, string>> = {
  'AWS::CloudWatch::Dashboard': 'it has no dashboards',
  'AWS::CodeDeploy::Application': 'a new version gets all requests at once',
  'AWS::CodeDeploy::DeploymentGroup': 'a new version gets all requests at once',
  'AWS::Events::Archive': 'its CloudFormation has no archives',
  'AWS::Events::EventBusPolicy': 'its CloudFormation has no bus policies',
  'AWS::Logs::QueryDefinition': 'it has no saved queries',
  'AWS::WAFv2::LoggingConfiguration': 'its CloudFormation has no firewall of a stage',
  'AWS::WAFv2::WebACLAssociation': 'its CloudFormation has no firewall of a stage',
};

/** Its alarms have no metric math. */
const isMissing = ({ Type, Properties }: Resource): boolean =>
  Type in missingTypes || (Type === 'AWS::CloudWatch::Alarm' && Properties?.Metrics !== undefined);

/**
 * Takes out of a template what MiniStack cannot create, and what refers to it, such as an output.
 * An alias, which CodeDeploy would update, is then updated like any resource.
 */
export const takeOutMissing = ({
  Resources,
  Outputs,
  ...rest
}: SynthesizedTemplate): SynthesizedTemplate => {
  const all = Object.entries(Resources);
  const missing = all.filter(([, resource]) => isMissing(resource)).map(([id]) => id);
  const refers = (part: unknown) => {
    const text = JSON.stringify(part);
    return missing.some((id) => text.includes(`"${id}"`));
  };
  const kept = all.filter(
    ([id, { Properties }]) => !missing.includes(id) && !refers({ Properties }),
  );
  const isKept = (id: string) => kept.some(([other]) => other === id);
  return {
    ...rest,
    Resources: Object.fromEntries(
      kept.map(([id, { UpdatePolicy: _, DependsOn = [], ...resource }]) => [
        id,
        { ...resource, DependsOn: DependsOn.filter(isKept) },
      ]),
    ),
    Outputs: Object.fromEntries(Object.entries(Outputs).filter(([, output]) => !refers(output))),
  };
};

/** The tests of the contract that MiniStack fails, by what their titles contain, and why. */
export const failingTests: Readonly<Record<string, string>> = {
  405: 'its mock integrations do not fill in the id of the request',
  'a mail to': 'its SES sends no events to EventBridge',
  'sent twice': 'its API Gateway keeps one of repeated headers',
  'not a minute later': 'its API Gateway evaluates no conditions of an authorizer',
  '20 simultaneous': 'it does not end them in the time that a test has',
};
