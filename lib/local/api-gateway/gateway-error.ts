/**
 * The responses that the gateway makes by itself, as API Gateway names them ("Gateway response
 * types").
 */
export const responseTypes = [
  'ACCESS_DENIED',
  // An authorizer that fails, too.
  'AUTHORIZER_CONFIGURATION_ERROR',
  // The errors of a function, too: an API cannot define a response for them alone.
  'DEFAULT_5XX',
  // Its response to an unknown path or method.
  'MISSING_AUTHENTICATION_TOKEN',
  'UNAUTHORIZED',
  'UNSUPPORTED_MEDIA_TYPE',
] as const;

/**
 * The gateway responds by itself instead of a function, with the response that the API defines for
 * `responseType`.
 */
export class GatewayError extends Error {
  readonly responseType: (typeof responseTypes)[number];

  /** `reason` describes the fault for the developer; it is logged and not sent to the client. */
  constructor(responseType: GatewayError['responseType'], reason: string) {
    super(reason);
    this.name = 'GatewayError';
    this.responseType = responseType;
  }
}
