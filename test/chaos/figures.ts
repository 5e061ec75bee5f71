import type { TakenStep } from './companies.ts';
import type { CompanyItems, DeliveredMail, PublishedEvent } from './verdict.ts';

/** What a run of histories has come to. */
export class Figures {
  readonly #counts = new Map<string, number>();

  countFaults(kinds: readonly string[]): void {
    for (const kind of kinds) this.#add(`fault: ${kind}`, 1);
  }

  countHistory(
    taken: readonly TakenStep[],
    aftermaths: readonly CompanyItems[],
    mails: readonly DeliveredMail[],
    events: readonly PublishedEvent[],
  ): void {
    const answers = taken.flatMap((each) => each.answers);
    this.#add('histories', 1);
    this.#add('requests', answers.length);
    this.#add('retries', answers.length - taken.length);
    for (const { status } of answers) this.#add(`answered ${status || 'nothing'}`, 1);
    for (const { offers, approvals, sandboxes } of aftermaths) {
      this.#add('delivery attempts', offers.flatMap(({ attempts }) => attempts).length);
      this.#add('approvals', approvals.flat().length);
      this.#add('sandboxes', sandboxes.length);
    }
    this.#add('mails', mails.length);
    const distinct = new Set(events.map(({ id }) => id)).size;
    this.#add('events', events.length);
    this.#add('events published again', events.length - distinct);
    this.#add('mails sent twice', mails.length - new Set(mails.map(({ attempt }) => attempt)).size);
  }

  get requests(): number {
    return this.#counts.get('requests') ?? 0;
  }

  /** A line for each figure. */
  toString(): string {
    const names = [...this.#counts.keys()].sort();
    const width = Math.max(...names.map((name) => name.length));
    return names
      .map((name) => `${name.padEnd(width)}  ${String(this.#counts.get(name)).padStart(7)}`)
      .join('\n');
  }

  #add(name: string, count: number): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
  }
}
