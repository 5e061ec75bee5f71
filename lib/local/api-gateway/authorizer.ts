import { z } from 'zod';
import { FunctionError } from '../lambda/function-error.ts';
import { AuthorizerOutput, compilePolicy, type Decision } from './authorizer-policy.ts';
import { GatewayError } from './gateway-error.ts';
import { type GatewayRequest, header, methodArn } from './gateway-request.ts';
import { requestFields } from './proxy-event.ts';

/** An authorizer, as the template defines it. */
export interface AuthorizerDefinition {
  readonly type: 'TOKEN' | 'REQUEST';
  readonly functionName: string;
  /** Such as `method.request.header.Authorization`. */
  readonly identitySources: readonly string[];
  /** The pattern that a token must match; otherwise the function is not called. */
  readonly tokenPattern: RegExp | undefined;
  readonly cacheMs: number;
}

interface CachedResult {
  readonly decide: (methodArn: string) => Decision;
  readonly context: Record<string, string>;
  readonly expiresAtMs: number;
}

const maximumCached = 1000;

/**
 * A Lambda authorizer with its cache. The cache is keyed by the caller's identity alone and shared
 * by all methods, so a policy must cover every method that the caller may use: the cached policy,
 * not a cached decision, is applied to each request ("Use API Gateway Lambda authorizers").
 */
export class Authorizer {
  readonly #definition: AuthorizerDefinition;
  readonly #invoke: (functionName: string, event: unknown) => Promise<unknown>;
  readonly #cache = new Map<string, CachedResult>();

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
  async authorize(request: GatewayRequest): Promise<Record<string, string>> {
    const { type, identitySources, tokenPattern, cacheMs } = this.#definition;
    const identities = identitySources.map((source) => identityValue(request, source) ?? '');
    const [token = ''] = identities;
    // Without a cache, missing identity sources do not stop a REQUEST authorizer.
    const needsIdentity = type === 'TOKEN' || cacheMs > 0;
    if (needsIdentity && identities.includes(''))
      throw unauthorized('an identity source is missing');
    if (type === 'TOKEN' && tokenPattern?.test(token) === false) {
      throw unauthorized('the token does not match the validation expression');
    }

    const arn = methodArn(request);
    const { decide, context } = await this.#result(request, arn, identities);
    const decision = decide(arn);
    if (decision === 'allowed') return context;
    const explicitly = decision === 'denied' ? '' : ' with an explicit deny';
    throw new GatewayError(
      'ACCESS_DENIED',
      `User is not authorized to access this resource${explicitly}`,
    );
  }

  async #result(
    request: GatewayRequest,
    arn: string,
    identities: readonly string[],
  ): Promise<CachedResult> {
    const { cacheMs } = this.#definition;
    const key = JSON.stringify(identities);
    const cached = this.#cache.get(key);
    if (cached !== undefined && cached.expiresAtMs > performance.now()) return cached;

    const result = await this.#ask(request, arn, identities);
    if (cacheMs > 0) {
      this.#cache.delete(key);
      const [oldest] = this.#cache.keys();
      if (oldest !== undefined && this.#cache.size >= maximumCached) this.#cache.delete(oldest);
      this.#cache.set(key, result);
    }
    return result;
  }

  async #ask(
    request: GatewayRequest,
    arn: string,
    [token]: readonly string[],
  ): Promise<CachedResult> {
    const { type, functionName, cacheMs } = this.#definition;
    const event =
      type === 'TOKEN'
        ? { type, methodArn: arn, authorizationToken: token }
        : { type, methodArn: arn, ...requestFields(request) };
    const { success, data, error } = AuthorizerOutput.safeParse(
      await this.#invoke(functionName, event).catch(refuse),
    );
    if (!success) {
      throw new GatewayError('AUTHORIZER_CONFIGURATION_ERROR', null, {
        reason: `${functionName} answered no policy: ${z.prettifyError(error)}`,
      });
    }
    const context = Object.entries(data.context).map(([name, value]) => [name, String(value)]);
    return {
      decide: compilePolicy(data.policyDocument),
      context: { ...Object.fromEntries(context), principalId: data.principalId },
      expiresAtMs: performance.now() + cacheMs,
    };
  }
}

/** A function rejects a token by throwing exactly this message. */
const refuse = (error: unknown): never => {
  if (error instanceof FunctionError && error.errorMessage === 'Unauthorized') {
    throw unauthorized('the authorizer threw Unauthorized');
  }
  throw new GatewayError('AUTHORIZER_FAILURE', null, { reason: String(error) });
};

const unauthorized = (reason: string): GatewayError =>
  new GatewayError('UNAUTHORIZED', 'Unauthorized', { reason });

const identityValue = (request: GatewayRequest, source: string): string | undefined => {
  const [, kind, name = ''] = /^(.*)\.([^.]+)$/.exec(source) ?? [];
  switch (kind) {
    case 'method.request.header':
      return header(request, name);
    case 'method.request.querystring':
      return request.query.getAll(name).at(-1);
    default:
      return undefined;
  }
};
