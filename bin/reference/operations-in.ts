import type { OpenapiDocument, OperationObject } from '../../lib/openapi/document.ts';

/** The operations of the document, each with its method and path in Markdown. */
export const operationsIn = ({
  paths,
}: OpenapiDocument): { readonly operation: OperationObject; readonly request: string }[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      operation,
      request: `\`${method.toUpperCase()} ${path}\``,
    })),
  );
