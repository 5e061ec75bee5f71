/**
 * The contract as a program that takes one request after another, written for reading: what a
 * client may have its response, and what must be in the table then.
 */
import { isSuccess, type KeyedOperation } from '../../support/keyed-operations.ts';
import type { Received } from '../engine/case.ts';

/** A request that a client sent, and its response. */
export interface Try extends Received {
  /** Tries with one key are one intent; a try without a key is an intent of its own. */
  readonly key: string | undefined;
  /** What is asked for. */
  readonly request: string;
  readonly isReplay: boolean;
  /** Whether anything went wrong with it: only then its response may be that it did not work. */
  readonly isDisturbed: boolean;
}

/**
 * When a try was sent and had its response: the first of its steps, and the first step after its
 * last.
 */
export interface Timed extends Try {
  readonly from: number;
  readonly to: number;
}

/** The contract's state: what was done, oldest first, and each key's request and response. */
interface State {
  readonly effects: readonly string[];
  readonly saved: ReadonlyMap<string, Saved>;
}

interface Saved {
  readonly request: string;
  readonly text: string;
}

/** The tries of a schedule, and the effects that no response names. */
interface Tried {
  readonly operation: KeyedOperation;
  readonly tries: readonly Timed[];
  readonly unnamed: readonly string[];
}

/**
 * Whether one order of the tries explains all responses and the effects: an order in which a try
 * whose response came before another was sent comes first.
 *
 * @param before the effects that there were before
 * @param after all effects that are in the table at the end, in any order
 */
export const isExplained = (
  operation: KeyedOperation,
  tries: readonly Timed[],
  before: readonly string[],
  after: readonly string[],
): boolean => {
  const named = new Set(
    tries.filter(isSuccess).map(({ text }) => operation.effectOf(JSON.parse(text))),
  );
  const unnamed = after.filter((id) => !before.includes(id) && !named.has(id));
  const tried = { operation, tries, unnamed };

  const explain = (
    left: readonly Timed[],
    state: State,
    reads: ReadonlyMap<Timed, readonly string[]>,
  ): boolean => {
    if (left.length === 0) return sameMembers(state.effects, after);
    return left
      .filter((each) => left.every((other) => other === each || other.to > each.from))
      .some((each) => {
        const rest = left.filter((other) => other !== each);
        if (operation.readsBefore && !reads.has(each)) {
          return explain(left, state, new Map(reads).set(each, state.effects));
        }
        const seen = reads.get(each) ?? state.effects;
        return statesAfter(each, tried, state, seen).some((next) => explain(rest, next, reads));
      });
  };
  return explain(tries, { effects: before, saved: new Map() }, new Map());
};

/** The states to which a try can lead. */
const statesAfter = (
  each: Timed,
  { operation, tries, unnamed }: Tried,
  state: State,
  seen: readonly string[],
): State[] => {
  const { key, request, status, text, isReplay, isDisturbed } = each;
  const saved = key === undefined ? undefined : state.saved.get(key);
  switch (status) {
    case 200:
    case 201:
      if (!isSaid(each, operation, saved, seen)) return [];
      if (isReplay) return [state];
      return [done(each, state, operation.effectOf(JSON.parse(text)), text)];
    // In use: not when the saved response is there, unless DynamoDB refuses to look.
    case 409:
      return key !== undefined && (saved === undefined || isDisturbed) ? [state] : [];
    // Not where the saved response is there: a replay comes before the precondition.
    case 412:
      return request.includes('If-Match') && saved === undefined ? [state] : [];
    // The key belongs to another request, which is under way or done.
    case 422:
      return tries.some((other) => other.key === key && other.request !== request) ? [state] : [];
    // Nothing was changed.
    case 503:
      return isDisturbed ? [state] : [];
    // Unknown: its effect may be one that no response names, or that only a replay names.
    case 0:
    case 504: {
      if (!isDisturbed) return [];
      const replays = tries.filter((other) => other.isReplay && other.key === key);
      const unclaimed = [
        ...unnamed.map((id): [string, string] => [id, '']),
        ...replays.map(({ text }): [string, string] => [
          operation.effectOf(JSON.parse(text)),
          text,
        ]),
      ].filter(([id]) => !state.effects.includes(id));
      return [state, ...(saved ? [] : unclaimed.map(([id, text]) => done(each, state, id, text)))];
    }
    default:
      return [];
  }
};

/** Whether a success says what it must: a replay the saved response, another one the effects. */
const isSaid = (
  { request, text, isReplay }: Timed,
  { effectOf, says }: KeyedOperation,
  saved: Saved | undefined,
  seen: readonly string[],
): boolean => {
  if (isReplay) return saved?.request === request && saved.text === text;
  const body = JSON.parse(text);
  const [said, expected] = says(body, [...seen, effectOf(body)]);
  return saved === undefined && said === expected;
};

/** The state when a request has its effect, and its key a response. */
const done = ({ key, request }: Timed, state: State, id: string, text: string): State => ({
  effects: [...state.effects, id],
  saved: key === undefined ? state.saved : new Map(state.saved).set(key, { request, text }),
});

const sameMembers = (some: readonly string[], others: readonly string[]): boolean =>
  JSON.stringify([...some].sort()) === JSON.stringify([...others].sort());
