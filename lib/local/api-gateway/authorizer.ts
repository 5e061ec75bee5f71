import { GatewayError } from './gateway-error.ts';

export interface AuthorizerDefinition {
  readonly functionName: string;
  /** The pattern that a token must match; otherwise the function is not called. */
  readonly tokenPattern: RegExp;
  readonly cacheMs: number;
}

/** What a Lambda authorizer returns ("Output from an API Gateway Lambda authorizer"). */
interface AuthorizerOutput {
  readonly principalId: string;
  readonly policyDocument: {
    readonly Statement: readonly {
      readonly Effect: 'Allow' | 'Deny';
      readonly Resource: string | string[];
      readonly Condition?: {
        readonly DateLessThanIfExists: { readonly 'aws:CurrentTime': string };
      };
    }[];
  };
  readonly context?: Readonly<Record<string, unknown>>;
}

/** A response of an authorizer that can be applied to a request. */
export interface AuthorizerResult {
  readonly principalId: string;
  readonly context: Readonly<Record<string, string>>;
  readonly allows: (methodArn: string) => boolean;
}

/**
 * Compiles an authorizer's response into a decision for one method ARN, now. As in IAM, a denial
 * wins. The decision is made for each request, also by a cached policy, so that its condition ends
 * it.
 *
 * @throws Error when the response is none, or has another condition: ignored, it would allow too
 * much
 */
export const readAuthorizerResponse = (response: unknown): AuthorizerResult => {
  const { principalId, policyDocument, context = {} } = response as AuthorizerOutput;
  const statements = policyDocument.Statement.map(({ Effect, Resource, Condition }) => {
    const { 'aws:CurrentTime': end } = Condition?.DateLessThanIfExists ?? {};
    const endsAtMs = Condition === undefined ? Number.POSITIVE_INFINITY : Date.parse(end ?? '');
    if (Number.isNaN(endsAtMs)) throw new Error('Its condition is not supported.');
    return { Effect, resources: [Resource].flat().map(pattern), endsAtMs };
  });
  const texts = Object.entries(context).map(([name, value]) => [name, String(value)]);
  return {
    principalId,
    context: Object.fromEntries(texts),
    allows: (methodArn) => {
      const effects = statements
        .filter(({ endsAtMs }) => Date.now() < endsAtMs)
        .filter(({ resources }) => resources.some((resource) => resource.test(methodArn)))
        .map(({ Effect }) => Effect);
      return effects.includes('Allow') && !effects.includes('Deny');
    },
  };
};

/** `*` stands for any characters, slashes too, and `?` for one. */
const pattern = (wildcards: string): RegExp => {
  const literal = wildcards.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  const source = literal.replaceAll('*', '.*').replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's');
};

/**
 * A Lambda authorizer with its cache. The cache is keyed by the caller's identity alone and shared
 * by all methods, so a policy must cover every method that the caller may use: the cached policy,
 * not a cached decision, is applied to each request ("Use API Gateway Lambda authorizers").
 */
export class Authorizer {
  readonly #definition: AuthorizerDefinition;
  readonly #invoke: (functionName: string, event: unknown) => Promise<unknown>;
  readonly #cache = new Map<string, { result: AuthorizerResult; expiresAtMs: number }>();

  constructor(
    definition: AuthorizerDefinition,
    invoke: (functionName: string, event: unknown) => Promise<unknown>,
  ) {
    this.#definition = definition;
    this.#invoke = invoke;
  }

  /**
   * @returns the context for the integration
   * @throws GatewayError when the caller may not go on
   */
  async authorize(token: string, methodArn: string): Promise<AuthorizerResult['context']> {
    if (!token || !this.#definition.tokenPattern.test(token)) {
      throw new GatewayError('UNAUTHORIZED', 'no token, or one that cannot be valid');
    }
    const { allows, context, principalId } = await this.#result(methodArn, token);
    if (allows(methodArn)) return { ...context, principalId };
    throw new GatewayError('ACCESS_DENIED', "the authorizer's policy does not allow it");
  }

  forget(): void {
    this.#cache.clear();
  }

  async #result(methodArn: string, authorizationToken: string): Promise<AuthorizerResult> {
    const { functionName, cacheMs } = this.#definition;
    const cached = this.#cache.get(authorizationToken);
    if (cached !== undefined && cached.expiresAtMs > performance.now()) return cached.result;
    const event = { type: 'TOKEN', methodArn, authorizationToken };
    try {
      const response = await this.#invoke(functionName, event);
      const result = readAuthorizerResponse(response);
      this.#cache.set(authorizationToken, { result, expiresAtMs: performance.now() + cacheMs });
      return result;
    } catch (error) {
      const reason = `${functionName} returned no policy: ${error}`;
      throw new GatewayError('AUTHORIZER_CONFIGURATION_ERROR', reason);
    }
  }
}
