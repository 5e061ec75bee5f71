import { z } from 'zod';
import { FunctionError } from '../lambda/function-error.ts';
import { AuthorizerOutput, compilePolicy, type Decision } from './authorizer-policy.ts';
import { GatewayError } from './gateway-error.ts';
import { type GatewayRequest, header, methodArn } from './gateway-request.ts';

/** An authorizer, as the template defines it. */
export interface AuthorizerDefinition {
  readonly functionName: string;
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
    const token = header(request, 'authorization');
    if (!token) throw unauthorized('the header Authorization is missing');
    if (this.#definition.tokenPattern?.test(token) === false) {
      throw unauthorized('the token does not match the validation expression');
    }

    const arn = methodArn(request);
    const { decide, context } = await this.#result(arn, token);
    const decision = decide(arn);
    if (decision === 'allowed') return context;
    throw new GatewayError('ACCESS_DENIED', `the policy of the authorizer: ${decision}`);
  }

  /** Empties the cache. */
  forget(): void {
    this.#cache.clear();
  }

  async #result(arn: string, token: string): Promise<CachedResult> {
    const { cacheMs } = this.#definition;
    const cached = this.#cache.get(token);
    if (cached !== undefined && cached.expiresAtMs > performance.now()) return cached;

    const result = await this.#ask(arn, token);
    if (cacheMs > 0) {
      this.#cache.delete(token);
      const [oldest] = this.#cache.keys();
      if (oldest !== undefined && this.#cache.size >= maximumCached) this.#cache.delete(oldest);
      this.#cache.set(token, result);
    }
    return result;
  }

  async #ask(arn: string, token: string): Promise<CachedResult> {
    const { functionName, cacheMs } = this.#definition;
    const event = { type: 'TOKEN', methodArn: arn, authorizationToken: token };
    const { success, data, error } = AuthorizerOutput.safeParse(
      await this.#invoke(functionName, event).catch(refuse),
    );
    if (!success) {
      const reason = `${functionName} answered no policy: ${z.prettifyError(error)}`;
      throw new GatewayError('AUTHORIZER_CONFIGURATION_ERROR', reason);
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
  throw new GatewayError('AUTHORIZER_FAILURE', String(error));
};

const unauthorized = (reason: string): GatewayError => new GatewayError('UNAUTHORIZED', reason);
