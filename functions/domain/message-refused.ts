import type * as z from 'zod/mini';
import { faultsOf, inBody } from './faults.ts';

/** What is wrong with a message, and where. */
export interface MessageFault {
  /** Names that the schema has, and none that a sender chose; empty for the whole message. */
  readonly place: string;
  /** Where it is within the body. */
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** A fault of a message as a whole. */
export const wholeFault = (code: string, detail: string): MessageFault => ({
  place: '',
  pointer: '',
  code,
  detail,
});

/** The faults that a schema found. A member of a wrong type has no other fault. */
export const messageFaults = ({ issues }: z.core.$ZodError, input: unknown): MessageFault[] => {
  const pathOf = ({ path }: z.core.$ZodIssue) => path.join('.');
  const ofType = issues.filter(({ code }) => code === 'invalid_type').map(pathOf);
  return issues
    .filter((issue) => issue.code === 'invalid_type' || !ofType.includes(pathOf(issue)))
    .flatMap((issue) =>
      faultsOf({ issues: [issue] }, input, inBody).map((fault) => ({
        place: pathOf(issue),
        ...fault,
      })),
    );
};

/** How many faults are listed. */
export const maximumListed = 20;

/** Each fault at a place once, with the number of times that it occurs there. */
const distinct = (faults: readonly MessageFault[], at: 'place' | 'pointer') => {
  const groups = Map.groupBy(faults, ({ [at]: place, code, detail }) =>
    JSON.stringify([place, code, detail]),
  );
  const all = [...groups].map(([key, { length: count }]) => {
    const [place, code, detail]: string[] = JSON.parse(key);
    return { place, code, detail, count };
  });
  return { faults: all.slice(0, maximumListed), more: Math.max(0, all.length - maximumListed) };
};

const sentences = (given: readonly MessageFault[], at: 'place' | 'pointer'): string => {
  const { faults, more } = distinct(given, at);
  const all = faults.map(({ place, code, detail, count }) => {
    const times = count > 1 ? ` (${count} times)` : '';
    return `${place || 'the message'} (${code}): ${detail}${times}`;
  });
  return [...all, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
};

/**
 * A message that no receive can consume. Its `message` may be logged: it names neither a value nor
 * what a sender has named.
 */
export class MessageRefused extends Error {
  override readonly name: string = 'MessageRefused';
  readonly isFinal = true;
  readonly #faults: readonly MessageFault[];
  readonly #inFull: string;

  constructor(faults: readonly MessageFault[], message?: string) {
    super(message ?? sentences(faults, 'place'));
    this.#faults = faults;
    this.#inFull = message ?? sentences(faults, 'pointer');
  }

  /** The same with every name and place: for its dead letter, which has the body. */
  get inFull() {
    return this.#inFull;
  }

  /** Its first faults by their places, and how many more there are. */
  get summary() {
    return distinct(this.#faults, 'place');
  }
}
