/**
 * The gateway answers by itself instead of a function, with the response that the API defines for
 * `responseType`.
 */
export class GatewayError extends Error {
  readonly responseType: ResponseType;
  /** The message that the client may read: `$context.error.message`. */
  readonly clientMessage: string | null;
  /** Overrides the default status of the type. */
  readonly status: number | undefined;

  /** `reason` describes the fault for the developer; it is logged and not sent to the client. */
  constructor(
    responseType: ResponseType,
    clientMessage: string | null,
    { reason, status }: { reason?: string; status?: number } = {},
  ) {
    super(reason ?? clientMessage ?? responseType);
    this.name = 'GatewayError';
    this.responseType = responseType;
    this.clientMessage = clientMessage;
    this.status = status;
  }
}

/** With their default status codes, from "Gateway response types for API Gateway". */
export const responseTypes = {
  ACCESS_DENIED: 403,
  API_CONFIGURATION_ERROR: 500,
  AUTHORIZER_CONFIGURATION_ERROR: 500,
  AUTHORIZER_FAILURE: 500,
  BAD_REQUEST_BODY: 400,
  BAD_REQUEST_PARAMETERS: 400,
  // The two fallbacks take the status of the response that falls back on them.
  DEFAULT_4XX: 400,
  DEFAULT_5XX: 500,
  EXPIRED_TOKEN: 403,
  INTEGRATION_FAILURE: 504,
  INTEGRATION_TIMEOUT: 504,
  INVALID_API_KEY: 403,
  INVALID_SIGNATURE: 403,
  MISSING_AUTHENTICATION_TOKEN: 403,
  QUOTA_EXCEEDED: 429,
  REQUEST_TOO_LARGE: 413,
  RESOURCE_NOT_FOUND: 404,
  THROTTLED: 429,
  UNAUTHORIZED: 401,
  UNSUPPORTED_MEDIA_TYPE: 415,
  WAF_FILTERED: 403,
} as const;

/** The errors for which an API can define a response. */
export type ResponseType = keyof typeof responseTypes;
