import { Author } from '../../../functions/domain/author.ts';
import { DiskMap } from './disk-map.ts';
import { type Violation, violation } from './invariants.ts';
import { type Item, scanType } from './scan.ts';

/** Checks the authors of a whole table, of which each item is added once. */
export class AuthorCheck {
  /** And the actors of imported items. */
  readonly #tokens = new Set<string>();
  /** The first effect of each actor that has to be a token. */
  readonly #actors = new Map<string, Item>();
  /** The first effect of each request. */
  readonly #effects = new DiskMap<{ readonly name: string; readonly id: unknown }>();

  /** @returns what is wrong with the items of a partition beside those that were added before */
  add(partition: readonly Item[]): Violation[] {
    return partition.flatMap((item) => this.#addItem(item));
  }

  /** The effects of actors that are no tokens. */
  async unknownActors(): Promise<Violation[]> {
    const isUnknown = (actor: string) => !this.#tokens.has(actor);
    if ([...this.#actors.keys()].some(isUnknown)) {
      // The token may have been issued after the scan had passed its place.
      for await (const item of scanType('TOKEN')) this.#tokens.add(String(item.id));
    }
    return [...this.#actors]
      .filter(([actor]) => isUnknown(actor))
      .map(([actor, item]) =>
        violation(
          'author_is_no_token',
          item,
          `${item.id} was made by ${actor}, a token that does not exist.`,
        ),
      );
  }

  #addItem(item: Item): Violation[] {
    if (item.type === 'TOKEN') this.#tokens.add(String(item.id));
    const { data: author } = Author.safeParse(item.author);
    if (!author) return [];
    const { actor, request } = author;
    // The tokens of an imported item may have stayed in its own table. What is made for an imported
    // sandbox names them too.
    if (item.imported) this.#tokens.add(actor);
    else if (actor.startsWith('tok_') && !this.#actors.has(actor)) this.#actors.set(actor, item);
    const name = effectName(item, actor);
    const key = { pk: request, sk: '' };
    const known = this.#effects.get(key);
    if (known && known.name !== name) {
      const detail = `The request ${request} made two effects, ${known.id} and ${item.id}.`;
      return [violation('request_with_two_effects', item, detail)];
    }
    if (!known) this.#effects.set(key, { name, id: item.id });
    return [];
  }
}

/**
 * An operator's command may make many items. A request makes one, or a sandbox and later all that
 * is made for it, whose ids have the same opaque part.
 */
const effectName = ({ type, id, account }: Item, actor: string): string =>
  actor.startsWith('operator:') ? actor : `${actor} ${opaqueOf(type === 'MANAGER' ? account : id)}`;

const opaqueOf = (id: unknown) => String(id).split('_').at(-1);
