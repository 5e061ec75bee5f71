import { account } from '../account.ts';
import { type GatewayRequest, header, requestTime } from './gateway-request.ts';

/** Produces the text for one request. */
export type Rendering = (request: GatewayRequest) => string;

// A reference such as $context.requestId or ${context.requestId}, with a call if it is one; or a
// directive of the Velocity language, in which templates of integrations may be written.
const namePattern = String.raw`([a-zA-Z]\w*(?:\.\w+)*(?:\([^)]*\))?)`;
const directivePattern = String.raw`#(?:set|if|elseif|else|end|foreach|define|macro|stop|break)\b|##`;
const tokenPattern = new RegExp(
  String.raw`\$!?\{${namePattern}\}|\$!?${namePattern}|${directivePattern}`,
  'g',
);

const contextValues = new Map<string, Rendering>(
  Object.entries({
    'context.accountId': () => account,
    'context.apiId': ({ api }) => api.apiId,
    'context.error.message': ({ error }) => error?.message ?? '',
    'context.error.messageString': ({ error }) => JSON.stringify(error?.message ?? null),
    'context.error.responseType': ({ error }) => error?.responseType ?? '',
    // Only a request validator gives one, and those are not run here.
    'context.error.validationErrorString': () => '',
    'context.extendedRequestId': ({ extendedRequestId }) => extendedRequestId,
    'context.httpMethod': ({ httpMethod }) => httpMethod,
    'context.identity.sourceIp': ({ sourceIp }) => sourceIp,
    'context.identity.userAgent': (request) => header(request, 'user-agent') ?? '',
    'context.path': ({ api, path }) => `/${api.stage}${path}`,
    'context.protocol': ({ protocol }) => protocol,
    'context.requestId': ({ requestId }) => requestId,
    'context.requestTime': ({ receivedAt }) => requestTime(receivedAt),
    'context.requestTimeEpoch': ({ receivedAt }) => String(receivedAt.getTime()),
    'context.resourceId': ({ routedTo }) => routedTo?.resourceId ?? '',
    'context.resourcePath': ({ routedTo }) => routedTo?.resourcePath ?? '',
    'context.stage': ({ api }) => api.stage,
  } satisfies Record<string, Rendering>),
);

/**
 * Compiles a mapping template. Variables of the request are replaced, as gateway responses do ("Set
 * up gateway responses to customize error responses"); `onUnknown` hears of everything else that
 * looks like the template language, which is then left as it stands.
 */
export const compileTemplate = (
  template: string,
  onUnknown: (token: string) => void,
): Rendering => {
  const parts: Rendering[] = [];
  let end = 0;
  for (const match of template.matchAll(tokenPattern)) {
    const name = match[1] ?? match[2];
    const value = name === undefined ? undefined : variable(name);
    if (value === undefined) {
      onUnknown(match[0]);
      continue;
    }
    const literal = template.slice(end, match.index);
    parts.push(() => literal, value);
    end = match.index + match[0].length;
  }
  const rest = template.slice(end);
  return (request) => parts.map((part) => part(request)).join('') + rest;
};

/**
 * Compiles the value of a response parameter: a static value in single quotes, or a variable without
 * its dollar sign.
 */
export const compileExpression = (
  expression: string,
  onUnknown: (expression: string) => void,
): Rendering => {
  const [, literal] = /^'(.*)'$/s.exec(expression) ?? [];
  if (literal !== undefined) return () => literal;
  const value = variable(expression);
  if (value !== undefined) return value;
  onUnknown(expression);
  return () => '';
};

const variable = (name: string): Rendering | undefined => {
  const known = contextValues.get(name);
  if (known !== undefined) return known;

  const [, source, key = ''] =
    /^(context\.authorizer|stageVariables|method\.request\.(?:header|path|querystring))\.([\w-]+)$/.exec(
      name,
    ) ?? [];
  switch (source) {
    case 'context.authorizer':
      return ({ authorizer = {} }) => own(authorizer, key);
    case 'stageVariables':
      return ({ api }) => own(api.stageVariables, key);
    case 'method.request.header':
      return (request) => header(request, key) ?? '';
    case 'method.request.path':
      return ({ pathParameters }) => own(pathParameters, key);
    case 'method.request.querystring':
      return ({ query }) => query.getAll(key).at(-1) ?? '';
    default:
      return undefined;
  }
};

/** Not what every object inherits, such as `constructor`. */
const own = (values: Readonly<Record<string, string>>, key: string): string =>
  Object.hasOwn(values, key) ? (values[key] ?? '') : '';
