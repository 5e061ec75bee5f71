import { type App, CfnElement, CfnResource } from 'aws-cdk-lib';
import { CfnAlarm, CfnDashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnApplication, CfnDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { CfnArchive } from 'aws-cdk-lib/aws-events';
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { count } from '../admin/terminal/print.ts';

/** A part of the template that MiniStack cannot create, and why. */
interface Missing {
  readonly why: string;
  readonly matches: (element: CfnElement) => boolean;
}

/** The only changes to the template for the rehearsal. */
const missing: readonly Missing[] = [
  { why: 'it has no dashboards', matches: (element) => element instanceof CfnDashboard },
  { why: 'it has no saved queries', matches: (element) => element instanceof CfnQueryDefinition },
  {
    why: 'its alarms have no metric math',
    matches: (element) => element instanceof CfnAlarm && element.metrics !== undefined,
  },
  {
    why: 'it has no CodeDeploy, so a new version gets all requests at once',
    matches: (element) =>
      element instanceof CfnApplication || element instanceof CfnDeploymentGroup,
  },
  {
    why: 'its CloudFormation has no archives',
    // And the output that names it.
    matches: (element) => element instanceof CfnArchive || element.node.id === 'EventArchiveArn',
  },
];

/**
 * Takes out of an app what MiniStack cannot create.
 *
 * @returns a sentence for each kind
 */
export const takeOutMissing = (app: App): string[] => {
  const elements = app.node.findAll().filter((node) => node instanceof CfnElement);
  // An alias is updated by CodeDeploy, or without this like any resource.
  for (const element of elements) {
    if (element instanceof CfnResource) delete element.cfnOptions.updatePolicy;
  }
  return missing.flatMap(({ why, matches }) => {
    const found = elements.filter(matches);
    for (const { node } of found) node.scope?.node.tryRemoveChild(node.id);
    const types = found.flatMap((each) =>
      each instanceof CfnResource ? each.cfnResourceType : [],
    );
    if (types.length === 0) return [];
    const kinds = [...new Set(types)].join(', ');
    return [`Not deployed: ${count(types.length, 'resource')} (${kinds}), because ${why}.`];
  });
};

const tooSlow = 'it does not end them in the time that a test has';

/** The tests of the contract that MiniStack fails, by what their titles contain, and why. */
export const failingTests: Readonly<Record<string, string>> = {
  405: 'its mock integrations do not fill in the id of the request',
  'a mail to': 'its SES sends no events to EventBridge',
  'sent twice': 'its API Gateway keeps one of repeated headers',
  'long list': tooSlow,
  '20 simultaneous': tooSlow,
  'new mail each time': tooSlow,
};
