import type * as z from 'zod/mini';
import { faultsOf, inBody } from './faults.ts';

/** What is wrong with a message, and where; without a place, it is wrong as a whole. */
interface MessageFault {
  /** Names that the schema has, and none that a sender chose. */
  readonly member?: string;
  /** Where it is within the body. */
  readonly pointer?: string;
  readonly code: string;
  readonly detail: string;
}

/** The faults that a schema found. A member of a wrong type has no other fault. */
export const messageFaults = ({ issues }: z.core.$ZodError, input: unknown): MessageFault[] => {
  const pathOf = ({ path }: z.core.$ZodIssue) => path.join('.');
  const ofType = issues.filter(({ code }) => code === 'invalid_type').map(pathOf);
  return issues
    .filter((issue) => issue.code === 'invalid_type' || !ofType.includes(pathOf(issue)))
    .flatMap((issue) =>
      faultsOf({ issues: [issue] }, input, inBody).map((fault) => ({
        member: pathOf(issue),
        ...fault,
      })),
    );
};

export const maximumListed = 20;

/** Each fault at a place once, with the number of times that it occurs there. */
const distinct = (faults: readonly MessageFault[], at: 'member' | 'pointer') => {
  const groups = Map.groupBy(faults, ({ [at]: place, code, detail }) =>
    JSON.stringify({ member: place || undefined, code, detail }),
  );
  const all = [...groups].map(([key, { length: count }]) => {
    const fault: Omit<MessageFault, 'pointer'> = JSON.parse(key);
    return { ...fault, count };
  });
  return { faults: all.slice(0, maximumListed), more: Math.max(0, all.length - maximumListed) };
};

/** A message that no receive can consume. */
export class MessageRefused extends Error {
  override readonly name = 'MessageRefused';
  readonly isFinal = true;
  readonly #faults: readonly MessageFault[];

  constructor(faults: readonly MessageFault[]) {
    super('The message cannot be consumed.');
    this.#faults = faults;
  }

  /** Its first faults by their members, and the number of others: no value, and no other name. */
  get summary() {
    return distinct(this.#faults, 'member');
  }

  /** The same without sentences, which change with a release. */
  get codes() {
    const { faults, more } = this.summary;
    return { faults: faults.map(({ detail: _, ...fault }) => fault), more };
  }

  /** The same with every name and place: for its dead letter, which has the body. */
  get inFull() {
    const { faults, more } = distinct(this.#faults, 'pointer');
    const all = faults.map(({ member = 'the message', code, detail, count }) => {
      const times = count > 1 ? ` (${count} times)` : '';
      return `${member} (${code}): ${detail}${times}`;
    });
    return [...all, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
  }
}
