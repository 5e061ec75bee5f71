import { z } from 'zod';

const oneOrMany = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());

const Time = z.iso.datetime().transform((time) => Date.parse(time));

// Strict, because an unchecked condition would allow too much.
const Policy = z.strictObject({
  Version: z.string().optional(),
  Statement: z.array(
    z.strictObject({
      Sid: z.string().optional(),
      Effect: z.enum(['Allow', 'Deny']),
      Action: oneOrMany,
      Resource: oneOrMany,
      Condition: z
        .strictObject({ DateLessThanIfExists: z.strictObject({ 'aws:CurrentTime': Time }) })
        .optional(),
    }),
  ),
});

/** What a Lambda authorizer answers ("Output from an API Gateway Lambda authorizer"). */
export const AuthorizerOutput = z.object({
  principalId: z.string(),
  policyDocument: Policy,
  context: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
});

/** The effect of a policy on a method. Only a statement with Deny denies explicitly. */
export type Decision = 'allowed' | 'denied' | 'denied explicitly';

/**
 * Compiles a policy into a decision for one method ARN, now. As in IAM, a denial wins. The decision
 * is made for each request, also by a cached policy, so that its condition ends it.
 */
export const compilePolicy = (
  policy: z.infer<typeof Policy>,
): ((methodArn: string) => Decision) => {
  const statements = policy.Statement.filter(({ Action }) =>
    Action.some((action) => pattern(action.toLowerCase()).test('execute-api:invoke')),
  ).map(({ Effect, Resource, Condition }) => ({
    Effect,
    resources: Resource.map(pattern),
    endsAtMs: Condition?.DateLessThanIfExists['aws:CurrentTime'] ?? Number.POSITIVE_INFINITY,
  }));
  return (methodArn) => {
    const effects = statements
      .filter(({ endsAtMs }) => Date.now() < endsAtMs)
      .filter(({ resources }) => resources.some((resource) => resource.test(methodArn)))
      .map(({ Effect }) => Effect);
    if (effects.includes('Deny')) return 'denied explicitly';
    return effects.includes('Allow') ? 'allowed' : 'denied';
  };
};

/** `*` stands for any characters, slashes too, and `?` for one. */
const pattern = (wildcards: string): RegExp => {
  const literal = wildcards.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  const source = literal.replaceAll('*', '.*').replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's');
};
