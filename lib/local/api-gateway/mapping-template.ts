import type { GatewayRequest } from './gateway-request.ts';

/** Produces the text for one request. */
export type Rendering = (request: GatewayRequest) => string;

// A reference such as $context.requestId or ${context.requestId}, or a directive of the Velocity
// language.
const tokens =
  /\$!?(?:\{[^}]*\}|[a-zA-Z]\w*(?:\.\w+)*)|#(?:set|if|elseif|else|end|foreach|define|macro|stop|break)\b|##/g;

const requestId = 'context.requestId';

/**
 * Compiles a mapping template, whose one variable is the id of the request.
 *
 * @throws Error that names any other variable or directive
 */
export const compileTemplate = (template: string): Rendering => {
  const other = template.match(tokens)?.find((token) => token !== `$${requestId}`);
  if (other) throw new Error(`${other} in a mapping template is not supported`);
  return (request) => template.replaceAll(`$${requestId}`, request.requestId);
};

/**
 * Compiles the value of a response parameter: a static value in single quotes, or the request's id.
 *
 * @throws Error that names any other
 */
export const compileExpression = (expression: string): Rendering => {
  const [, literal] = /^'(.*)'$/s.exec(expression) ?? [];
  if (literal !== undefined) return () => literal;
  if (expression === requestId) return (request) => request.requestId;
  throw new Error(`${expression} in a response parameter is not supported`);
};
