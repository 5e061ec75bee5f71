import type { OperationId } from '../../functions/contract/operation.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { operations } from './operations.ts';

/** Where the reference page shows a tag of the document: a guide, a group of operations, a code. */
export const tagAnchor = (tag: string): string => `#tag/${slug(tag)}`;

const slug = (name: string) => name.toLowerCase().replaceAll(/[ _]/g, '-');

export const operationAnchor = (operation: OperationId): string => {
  const { method, path }: Route = routes[operation];
  return `${tagAnchor(operations[operation].tag)}/${method}${path}`;
};

export const tagGroupAnchor = (group: string): string => `#tag-group/${slug(group)}`;

export const guideLink = (title: string): string => `[${title}](${tagAnchor(title)})`;

export const operationLink = (operation: OperationId): string =>
  `[${operations[operation].summary}](${operationAnchor(operation)})`;
