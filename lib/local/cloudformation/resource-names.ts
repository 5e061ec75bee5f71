import type { Template } from './template.ts';

/** The property by which a template can name a resource itself. */
const nameProperties: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::DomainName': 'DomainName',
  'AWS::ApiGateway::Stage': 'StageName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::Events::Archive': 'ArchiveName',
  'AWS::Events::EventBus': 'Name',
  'AWS::Events::Rule': 'Name',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::SES::ConfigurationSet': 'Name',
  'AWS::SES::EmailIdentity': 'EmailIdentity',
  'AWS::SecretsManager::Secret': 'Name',
  'AWS::SQS::Queue': 'QueueName',
};

/** The name that the template gives a resource; undefined if it gives none. */
const ownName = ({ resources }: Template, logicalId: string): unknown => {
  const { Type = '', Properties = {} } = resources[logicalId] ?? {};
  const property = nameProperties[Type];
  return property && Properties[property];
};

/** The name of a resource in AWS: the template's own, else `<stack>-<logical id>`. */
export const nameOf = (template: Template, logicalId: string): string => {
  const own = ownName(template, logicalId);
  return typeof own === 'string' ? own : `${template.stackName}-${logicalId}`;
};

/** @throws Error when the template puts the name of a resource together */
export const requirePlainName = (template: Template, logicalId: string): void => {
  if (!['string', 'undefined'].includes(typeof ownName(template, logicalId))) {
    throw new Error('Its name must be plain text');
  }
};

/**
 * What the log calls each resource, by its name in AWS: the name that the template gives it, what
 * follows the colon in its description (`Payments: deliver-offer`), or its logical id without the
 * hash that the CDK appends.
 */
export const labelsOf = (template: Template): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(template.resources).map(([logicalId, { Properties }]) => {
      const name = nameOf(template, logicalId);
      if (name === ownName(template, logicalId)) return [name, name];
      const [, described] = /: (\S+)$/.exec(String(Properties.Description ?? '')) ?? [];
      return [name, described ?? logicalId.replace(/[\dA-F]{8}$/, '')];
    }),
  );
