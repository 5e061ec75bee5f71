import { type App, CfnResource } from 'aws-cdk-lib';
import { CfnAlarm, CfnDashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnApplication, CfnDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { count } from '../admin/print.ts';

/** A resource that MiniStack cannot create, and why. */
interface Missing {
  readonly why: string;
  readonly matches: (resource: CfnResource) => boolean;
}

/** The only changes to the template for the rehearsal. */
const missing: readonly Missing[] = [
  { why: 'it has no dashboards', matches: (resource) => resource instanceof CfnDashboard },
  {
    why: 'it has no saved queries',
    matches: (resource) => resource instanceof CfnQueryDefinition,
  },
  {
    why: 'its alarms have no metric math',
    matches: (resource) => resource instanceof CfnAlarm && resource.metrics !== undefined,
  },
  {
    why: 'it has no CodeDeploy, so a new version gets all requests at once',
    matches: (resource) =>
      resource instanceof CfnApplication || resource instanceof CfnDeploymentGroup,
  },
];

/**
 * Takes out of an app what MiniStack cannot create.
 *
 * @returns a sentence for each kind
 */
export const takeOutMissing = (app: App): string[] => {
  const resources = app.node.findAll().filter((node) => node instanceof CfnResource);
  // An alias is updated by CodeDeploy, or without this like any resource.
  for (const { cfnOptions } of resources) delete cfnOptions.updatePolicy;
  return missing.flatMap(({ why, matches }) => {
    const found = resources.filter(matches);
    for (const { node } of found) node.scope?.node.tryRemoveChild(node.id);
    const types = new Set(found.map(({ cfnResourceType }) => cfnResourceType));
    if (found.length === 0) return [];
    return [
      `Not deployed: ${count(found.length, 'resource')} (${[...types].join(', ')}), because ${why}.`,
    ];
  });
};

const noMailEvents = 'its SES sends no events to EventBridge';

/** The checks of the smoke test that MiniStack fails, and why. */
export const failingChecks: Readonly<Record<string, string>> = {
  method_not_allowed: 'its mock integrations do not fill in the id of the request',
  'mail-delivered': noMailEvents,
  'mail-bounced': noMailEvents,
  'mail-complained': noMailEvents,
};
