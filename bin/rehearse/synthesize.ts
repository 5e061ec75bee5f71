import { readFileSync, writeFileSync } from 'node:fs';
import { addStage, createApp, withoutValidation } from '../../lib/stack/app.ts';
import { readSettings } from '../../lib/stack/settings.ts';

// `synthesize.ts STAGE DIRECTORY`: synthesizes a stage as `cdk deploy` would, but unprotected, so
// that it can be destroyed, and without what MiniStack cannot create.

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

/** The types of resources that MiniStack, or its CloudFormation, does not have. */
const missingTypes = [
  'AWS::CloudWatch::Dashboard',
  // Without it, a new version gets all requests at once.
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::Events::Archive',
  'AWS::Events::EventBusPolicy',
  'AWS::Logs::QueryDefinition',
  'AWS::WAFv2::LoggingConfiguration',
  'AWS::WAFv2::WebACLAssociation',
];

/** Its alarms have no metric math. */
const isMissing = ({ Type, Properties }: Resource): boolean =>
  missingTypes.includes(Type) ||
  (Type === 'AWS::CloudWatch::Alarm' && Properties?.Metrics !== undefined);

/**
 * Takes out of a template what MiniStack cannot create, and what refers to it, such as an output.
 * An alias, which CodeDeploy would update, is then updated like any resource.
 */
const takeOutMissing = ({ Resources, Outputs, ...rest }: SynthesizedTemplate) => {
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

const [stage = '', outdir] = process.argv.slice(2);
const app = createApp({ outdir, ...withoutValidation });
const settings = {
  keepData: stage === 'rehearsal-kept',
  account: '000000000000',
  region: 'us-east-1',
  sender: 'offers@example.com',
  operators: ['arn:aws:iam::000000000000:role/operators'],
  alarmEmail: 'operators@example.com',
};
const stack = await addStage(app, readSettings(stage, settings));
stack.terminationProtection = false;
for (const { templateFullPath } of app.synth().stacks) {
  const template = takeOutMissing(JSON.parse(readFileSync(templateFullPath, 'utf8')));
  writeFileSync(templateFullPath, JSON.stringify(template));
}
console.log(`MiniStack has no alarms with metric math, ${missingTypes.join(', ')}.`);
