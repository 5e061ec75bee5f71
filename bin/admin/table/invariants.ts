import { invariantsOfKinds, kindOf, needOf, shapeFaultOf } from '../kinds/all.ts';
import { type Item, type Key, type Violation, violation } from '../kinds/kind.ts';

export type { Violation };

/** What `verify` looks for, by code. */
export const invariants = (): Readonly<Record<string, string>> => ({
  misshapen_item: 'an item that does not match its schema',
  ...invariantsOfKinds(),
  effect_without_author: 'an item that does not name its author',
  request_with_two_effects: 'a request id with two different effects',
});

/** An item that must exist, and what to say if it does not. */
export interface Expectation {
  readonly key: Key;
  readonly violation: Violation;
}

/** The violations that a partition shows, and the other items that must exist. */
export const inspect = (
  partition: readonly Item[],
  now: Date,
): { readonly violations: Violation[]; readonly expectations: Expectation[] } => {
  const misshapen = partition.flatMap(shape);
  // A malformed offer or request cannot be compared with the other items of its partition.
  if (misshapen.length > 0) return { violations: misshapen, expectations: [] };
  const needs = partition.flatMap(expectationOf);
  const isHere = ({ key }: Expectation) => key.pk === partition[0]?.pk;
  return {
    violations: [
      ...partition.flatMap((item) => kindOf(item)?.inspect?.(item, partition, now) ?? []),
      ...partition.flatMap(authorless),
      ...needs
        .filter(isHere)
        .filter(({ key }) => !partition.some(({ sk }) => sk === key.sk))
        .map((need) => need.violation),
    ],
    expectations: needs.filter((need) => !isHere(need)),
  };
};

const shape = (item: Item): Violation[] => {
  const reason = shapeFaultOf(item);
  return reason ? [violation('misshapen_item', item, `${item.pk} ${item.sk}: ${reason}`)] : [];
};

const authorless = (item: Item): Violation[] => {
  const kind = kindOf(item);
  if (!kind || kind.isAnonymous || item.author) return [];
  const what = `${kind.noun} ${item.id ?? ''}`.trim();
  return [violation('effect_without_author', item, `The ${what} has no author.`)];
};

const expectationOf = (item: Item): Expectation[] => {
  const need = needOf(item);
  return need ? [{ key: need.key, violation: violation(need.code, item, need.detail) }] : [];
};
