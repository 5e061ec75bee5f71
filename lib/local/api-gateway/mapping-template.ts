import type { GatewayRequest } from './gateway-request.ts';

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

const contextValues = new Map<string, Rendering>([
  ['context.error.message', ({ error }) => error?.message ?? ''],
  ['context.error.messageString', ({ error }) => JSON.stringify(error?.message ?? null)],
  ['context.error.responseType', ({ error }) => error?.responseType ?? ''],
  ['context.requestId', ({ requestId }) => requestId],
]);

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
 * Compiles the value of a response parameter: a static value in single quotes, or a variable
 * without its dollar sign.
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
  const [, parameter] = /^method\.request\.querystring\.([\w-]+)$/.exec(name) ?? [];
  if (parameter === undefined) return contextValues.get(name);
  return ({ query }) => query.getAll(parameter).at(-1) ?? '';
};
