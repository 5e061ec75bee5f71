import {
  developmentTemplate,
  functionsOf,
  mentioned,
  resourcesOf,
} from '../support/read-template.ts';

/** The attributes that the policy of a function lets an UpdateItem name. */
export const allowedAttributes = (functionName: string): string[] => {
  const template = developmentTemplate();
  const [role] = mentioned(functionsOf(template).get(functionName)?.[1].Properties.Role);
  return resourcesOf(template, 'AWS::IAM::Policy')
    .filter(([, { Properties }]) => mentioned(Properties.Roles).includes(role ?? ''))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
    .filter(({ Action }) => Action === 'dynamodb:UpdateItem')
    .flatMap(({ Condition }) => Condition['ForAllValues:StringEquals']['dynamodb:Attributes']);
};
