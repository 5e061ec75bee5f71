/** What a path leads to. */
export interface RouteMatch<Target> {
  readonly target: Target;
  /** Decoded. */
  readonly pathParameters: Record<string, string>;
}

/**
 * The resources of a REST API as a tree of path segments. A literal segment wins over
 * `{parameter}`, which wins over `{greedy+}`.
 */
export class RouteTree<Target> {
  readonly #literals = new Map<string, RouteTree<Target>>();
  #parameter: { name: string; next: RouteTree<Target> } | undefined;
  #greedy: { name: string; target: Target } | undefined;
  #target: Target | undefined;

  /** `path` is a resource path, such as `/offers/{id}/resend`. */
  add(path: string, target: Target): void {
    this.#add(segments(path), target);
  }

  /** The target for a request's path, which may end with a slash: API Gateway ignores that one. */
  match(path: string): RouteMatch<Target> | undefined {
    return this.#match(segments(path), 0);
  }

  #add([segment, ...rest]: string[], target: Target): void {
    if (segment === undefined) {
      this.#target = target;
      return;
    }
    const [, name, plus] = /^\{([^+}]+)(\+?)\}$/.exec(segment) ?? [];
    if (name === undefined) {
      const next = this.#literals.get(segment) ?? new RouteTree<Target>();
      this.#literals.set(segment, next);
      next.#add(rest, target);
    } else if (plus === '+') {
      this.#greedy = { name, target };
    } else {
      // API Gateway allows one parameter among siblings, so the name is the same for all of them.
      this.#parameter ??= { name, next: new RouteTree<Target>() };
      this.#parameter.next.#add(rest, target);
    }
  }

  #match(path: readonly string[], depth: number): RouteMatch<Target> | undefined {
    const segment = path[depth];
    if (segment === undefined) {
      return this.#target === undefined ? undefined : { target: this.#target, pathParameters: {} };
    }
    const next = this.#literals.get(segment);
    const literal = next === undefined ? undefined : next.#match(path, depth + 1);
    if (literal !== undefined) return literal;
    if (this.#parameter !== undefined && segment !== '') {
      const match = this.#parameter.next.#match(path, depth + 1);
      if (match !== undefined) {
        match.pathParameters[this.#parameter.name] = decode(segment);
        return match;
      }
    }
    if (this.#greedy === undefined) return undefined;
    const { name, target } = this.#greedy;
    return { target, pathParameters: { [name]: decode(path.slice(depth).join('/')) } };
  }
}

const segments = (path: string): string[] => {
  const parts = path.split('/').slice(1);
  if (parts.at(-1) === '') parts.pop();
  return parts;
};

/** Text that is not valid percent-encoding is passed on as it was sent; the function rejects it. */
const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};
