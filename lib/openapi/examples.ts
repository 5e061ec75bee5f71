import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationId } from '../../functions/contract/operation.ts';
import type { ProblemCode } from '../../functions/domain/problem.ts';

/** A request that the running service was sent, and its response. */
export interface Exchange {
  readonly operation: OperationId;
  /** The code of its problem; for a success a name of ours. */
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
}

/** Recorded by `npm run openapi -- --record`; a test repeats them on the running service. */
export const exchanges: readonly Exchange[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'examples.json'), 'utf8'),
);

/**
 * The successes of an operation.
 *
 * @throws Error when none was recorded
 */
export const successesOf = (operation: OperationId): readonly Exchange[] => {
  const found = exchanges.filter(
    (each) => each.operation === operation && each.response.status < 400,
  );
  if (found.length > 0) return found;
  throw new Error(
    `No success of ${operation} was recorded. Describe its request in functions/*.contract.ts (\`examples\`), then run \`npm run openapi -- --record\`.`,
  );
};

/** A problem as an operation returns it, or as another does where that makes no difference. */
export const problemExample = (operation: OperationId, code: ProblemCode): Exchange => {
  const found =
    exchanges.find((each) => each.operation === operation && each.name === code) ??
    exchanges.find((each) => each.name === code);
  if (!found) throw new Error(`No example of ${code} was recorded.`);
  return found;
};
