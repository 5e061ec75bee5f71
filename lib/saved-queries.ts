import { type ILogGroup, QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** The log groups that the queries search. */
export interface SavedQueriesProps {
  readonly settings: Settings;
  readonly logGroups: ILogGroup[];
}

/** The members of the log lines that a saved query filters by. */
const members = { request: 'request_id', token: 'token', workspace: 'workspace' } as const;

/** Queries of CloudWatch Logs Insights to follow a request, a token or a workspace. */
export class SavedQueries extends Construct {
  constructor(scope: Construct, id: string, { settings, logGroups }: SavedQueriesProps) {
    super(scope, id);
    for (const [name, member] of Object.entries(members)) {
      new QueryDefinition(this, name, {
        queryDefinitionName: `WorkforcePayments-${settings.stage}/by ${name}`,
        logGroups,
        queryString: new QueryString({
          fields: [
            '@timestamp',
            'service',
            'message',
            'request_id',
            'workspace',
            'token',
            'status',
          ],
          filterStatements: [`${member} = "PUT THE ID HERE"`],
          sort: '@timestamp',
          limit: 1000,
        }),
      });
    }
  }
}
