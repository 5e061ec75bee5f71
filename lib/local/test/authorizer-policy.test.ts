import { expect, test } from 'vitest';
import { AuthorizerOutput, compilePolicy } from '../api-gateway/authorizer-policy.ts';

const arn = 'arn:aws:execute-api:us-east-1:000000000000:api/v1/GET/offers/1';

const decide = (...statements: object[]) => {
  const { policyDocument } = AuthorizerOutput.parse({
    principalId: 'me',
    policyDocument: { Version: '2012-10-17', Statement: statements },
  });
  return compilePolicy(policyDocument)(arn);
};

const until = (time: string) => ({ DateLessThanIfExists: { 'aws:CurrentTime': time } });

const allow = { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: arn };

test.each([
  ['the very method', [allow], 'allowed'],
  ['every method', [{ ...allow, Resource: '*' }], 'allowed'],
  ['a wildcard over slashes', [{ ...allow, Resource: 'arn:*:api/v1/GET/*' }], 'allowed'],
  ['a wildcard for one character', [{ ...allow, Resource: [arn.replace(/1$/, '?')] }], 'allowed'],
  ['any action', [{ ...allow, Action: ['*'] }], 'allowed'],
  ['a time to come', [{ ...allow, Condition: until('2999-01-01T00:00:00Z') }], 'allowed'],
  ['a time past', [{ ...allow, Condition: until('2020-01-01T00:00:00.000Z') }], 'denied'],
  ['a prefix only', [{ ...allow, Resource: arn.slice(0, -1) }], 'denied'],
  ['a dot that is no wildcard', [{ ...allow, Resource: arn.replace('api', 'a.i') }], 'denied'],
  ['another action', [{ ...allow, Action: 's3:GetObject' }], 'denied'],
  ['nothing', [], 'denied'],
  ['a denial too', [allow, { ...allow, Effect: 'Deny', Resource: '*' }], 'denied explicitly'],
])('the gateway decides for a policy with %s', (_, statements, decision) => {
  expect(decide(...statements)).toBe(decision);
});

test.each([
  [{}],
  [{ policyDocument: { Statement: [allow] } }],
  [{ principalId: 'me', policyDocument: { Statement: [{ ...allow, Condition: {} }] } }],
  [{ principalId: 'me', policyDocument: { Statement: [{ ...allow, Condition: until('9 pm') }] } }],
  [{ principalId: 'me', policyDocument: { Statement: [allow] }, context: { list: [] } }],
])('the gateway does not take %j for an answer of an authorizer', (output) => {
  expect(AuthorizerOutput.safeParse(output).success).toBe(false);
});
