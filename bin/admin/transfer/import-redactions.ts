import { type Redact, readRedactions, redactor } from '../table/redactions.ts';
import type { Item } from '../table/scan.ts';

/** The redactions that concern what an import brings: those of the table, and those of its file. */
export class ImportRedactions {
  readonly #brought: Item[] = [];
  readonly #redactors = new Map<string, Promise<Redact>>();

  /** Adds a redaction of the file: before any line that it may concern is settled. */
  add(redaction: Item): void {
    this.#brought.push(redaction);
  }

  /** What the redactions of a workspace make of an item. */
  of(workspace: string): Promise<Redact> {
    const known = this.#redactors.get(workspace) ?? this.#read(workspace);
    this.#redactors.set(workspace, known);
    return known;
  }

  async #read(workspace: string): Promise<Redact> {
    return redactor([...(await readRedactions(workspace)), ...this.#brought]);
  }
}
