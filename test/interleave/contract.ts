/**
 * The contract as a program that takes one request after another, written for reading: what a
 * client may be told, and what must be in the table then.
 */

/** A request that a client sent, and what it was told. */
export interface Try {
  readonly letter: string;
  /** Tries with one key are one intent; a try without a key is an intent of its own. */
  readonly key: string | undefined;
  /** The body. */
  readonly request: string;
  /** 0 if nobody answered. */
  readonly status: number;
  readonly text: string;
  readonly isReplay: boolean;
  /** Whether anything went wrong with it: only then it may be answered that it did not work. */
  readonly isDisturbed: boolean;
}

/** When a try was sent and answered: the first of its steps, and the first step after its last. */
export interface Timed extends Try {
  readonly from: number;
  readonly to: number;
}

/** What an operation promises of its answer. */
export interface Operation {
  /** The identifier of the effect that an answer is about. */
  // biome-ignore lint/suspicious/noExplicitAny: answers differ from operation to operation.
  readonly effectOf: (body: any) => string;
  /** What the answer says of all effects that there are, and those it must say, this one last. */
  // biome-ignore lint/suspicious/noExplicitAny: answers differ from operation to operation.
  readonly says: (body: any, effects: readonly string[]) => readonly [unknown, unknown];
  /** Whether an answer may list the state of any time since its request, not only of its effect. */
  readonly readsBefore?: boolean;
}

export const resend: Operation = {
  effectOf: ({ delivery }) => delivery.last_attempt.id,
  says: ({ delivery }, effects) => [delivery.attempts, effects.length],
};

export const create: Operation = {
  effectOf: ({ id }) => id,
  says: ({ status }) => [status, 'provisioning'],
};

/**
 * An answer lists the approvals that there were at some time since its request, by identifier, and
 * its own last. Another that is committed between the two is not in it: approvals do not wait for
 * each other.
 */
export const approve: Operation = {
  effectOf: ({ approvals }) => approvals.at(-1),
  says: ({ status, approvals }, effects) => [
    `${status} ${approvals}`,
    `approved ${[...effects.slice(0, -1).sort(), effects.at(-1)]}`,
  ],
  readsBefore: true,
};

/** The contract's state: what was done, oldest first, and each key's request and answer. */
interface State {
  readonly effects: readonly string[];
  readonly saved: ReadonlyMap<string, { readonly request: string; readonly text: string }>;
}

const isSuccess = ({ status }: Try) => status === 200 || status === 201;

/**
 * Whether one order of the tries explains all answers and the effects: an order in which a try
 * whose answer came before another was sent comes first.
 *
 * @param before the effects that there were before
 * @param after all effects that are in the table at the end, in any order
 */
export const isExplained = (
  operation: Operation,
  tries: readonly Timed[],
  before: readonly string[],
  after: readonly string[],
): boolean => {
  const named = new Set(
    tries.filter(isSuccess).map(({ text }) => operation.effectOf(JSON.parse(text))),
  );
  const unnamed = after.filter((id) => !before.includes(id) && !named.has(id));

  /** The states to which a try can lead. */
  const outcomes = (each: Timed, state: State, seen: readonly string[]): State[] => {
    const { key, request, status, text, isReplay, isDisturbed } = each;
    const saved = key === undefined ? undefined : state.saved.get(key);
    const doing = (id: string, answer: string): State => ({
      effects: [...state.effects, id],
      saved:
        key === undefined ? state.saved : new Map(state.saved).set(key, { request, text: answer }),
    });
    switch (status) {
      case 200:
      case 201: {
        if (isReplay) return saved?.text === text && saved.request === request ? [state] : [];
        const body = JSON.parse(text);
        const id = operation.effectOf(body);
        const [said, expected] = operation.says(body, [...seen, id]);
        return saved === undefined && said === expected ? [doing(id, text)] : [];
      }
      // In use: not when the saved answer is there, unless DynamoDB refuses to look.
      case 409:
        return key !== undefined && (saved === undefined || isDisturbed) ? [state] : [];
      // The key belongs to another request, which is under way or done.
      case 422:
        return tries.some((other) => other.key === key && other.request !== request) ? [state] : [];
      // Nothing was changed.
      case 503:
        return isDisturbed ? [state] : [];
      // Unknown: its effect may be one that no answer names, or that only a replay names.
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
        return [state, ...(saved === undefined ? unclaimed.map((args) => doing(...args)) : [])];
      }
      default:
        return [];
    }
  };

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
        return outcomes(each, state, seen).some((next) => explain(rest, next, reads));
      });
  };
  return explain(tries, { effects: before, saved: new Map() }, new Map());
};

const sameMembers = (some: readonly string[], others: readonly string[]): boolean =>
  JSON.stringify([...some].sort()) === JSON.stringify([...others].sort());
