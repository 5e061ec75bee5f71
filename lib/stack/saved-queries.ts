import type { Stack } from 'aws-cdk-lib';
import { type ILogGroup, QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** The members of the log lines that a saved query filters by. */
const members = { request: 'request_id', token: 'token', workspace: 'workspace' } as const;

/** Queries of CloudWatch Logs Insights to follow a request, a token or a workspace. */
export const addSavedQueries = (stack: Stack, settings: Settings, logGroups: ILogGroup[]): void => {
  const queries = new Construct(stack, 'SavedQueries');
  for (const [name, member] of Object.entries(members)) {
    new QueryDefinition(queries, name, {
      queryDefinitionName: `WorkforcePayments-${settings.stage}/by ${name}`,
      logGroups,
      queryString: new QueryString({
        fields: ['@timestamp', 'service', 'message', 'request_id', 'workspace', 'token', 'status'],
        filterStatements: [`${member} = "PUT THE ID HERE"`],
        sort: '@timestamp',
        limit: 1000,
      }),
    });
  }
};
