import { parseAst } from 'vitest/node';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** A statement of a TypeScript file, as offsets into its text. */
export interface Statement {
  /** Where the statement begins. */
  readonly start: number;
  /** Where what tells that it ran begins: past the keyword, which a minifier may share or drop. */
  readonly from: number;
  readonly end: number;
}

/**
 * The statements that a file runs, in the order of the text. As elsewhere, the value of an arrow
 * function without a block counts as a statement; blocks and declarations of functions and types,
 * which do nothing by themselves, do not.
 */
export const statementsOf = (source: string): Statement[] => {
  const found: Statement[] = [];
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node, (node) => {
    const from = beginningOf(node);
    if (from !== undefined) found.push({ start: node.start, from, end: node.end });
    if (node.type === 'ArrowFunctionExpression' && isNode(node.body)) {
      const { body } = node;
      if (body.type !== 'BlockStatement') {
        found.push({ start: body.start, from: body.start, end: body.end });
      }
    }
  });
  return found.sort((a, b) => a.start - b.start);
};

const beginningOf = (node: Node): number | undefined => {
  switch (node.type) {
    case 'ReturnStatement':
    case 'ThrowStatement':
      return startOf(node.argument);
    case 'ExpressionStatement':
      return startOf(node.expression);
    case 'IfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
      return startOf(node.test);
    case 'SwitchStatement':
      return startOf(node.discriminant);
    case 'ForOfStatement':
    case 'ForInStatement':
      return startOf(node.right);
    case 'VariableDeclarator':
      return node.init ? node.start : undefined;
    default:
      return undefined;
  }
};

const startOf = (value: unknown) => (isNode(value) ? value.start : undefined);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

const visit = (node: Node, see: (node: Node) => void): void => {
  // Types are erased; nothing in them runs.
  if (node.type.startsWith('TS') && !('expression' in node)) return;
  see(node);
  for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, see);
};
