import fc from 'fast-check';
import { findViolations } from '../../bin/admin/table/verify-table.ts';
import type { FaultyService } from '../support/faulty-service.ts';
import type { Figures } from './figures.ts';
import { type History, history } from './history.ts';
import { runHistory } from './run-history.ts';

/** A violation, and the shortest history that was found to lead to it. */
export interface Counterexample {
  readonly message: string;
  readonly history: History | undefined;
}

/** What must hold does not, which is another thing than an error of this check. */
class Violated extends Error {}

/** Runs random histories one after another until all are done or one violates what must hold. */
export const checkHistories = async (
  service: FaultyService,
  options: { readonly seed: number; readonly histories: number; readonly shrink: boolean },
  figures: Figures,
  onHistory: (violated: boolean) => void = () => {},
): Promise<Counterexample | undefined> => {
  const property = fc.asyncProperty(history, async (each) => {
    const found = await runHistory(service, each, figures);
    onHistory(found.length > 0);
    if (found.length > 0) throw new Violated(found.join('\n'));
  });
  const { seed, histories: numRuns, shrink } = options;
  const checked = await fc.check(property, { seed, numRuns, endOnFailure: !shrink });
  if (!checked.failed) return findByVerify();
  const { errorInstance, counterexample } = checked;
  if (!(errorInstance instanceof Violated)) throw errorInstance;
  return { message: errorInstance.message, history: counterexample?.[0] };
};

/**
 * In the end the operators' own `verify` looks at the whole table: claims without effects and all.
 */
const findByVerify = async (): Promise<Counterexample | undefined> => {
  const violations = await findViolations();
  const found = violations.map(({ code, pk, sk, detail }) => `${code} ${pk} ${sk}: ${detail}`);
  return found.length > 0 ? { message: found.join('\n'), history: undefined } : undefined;
};
