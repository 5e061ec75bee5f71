/** What a path leads to. */
export interface RouteMatch<Target> {
  readonly target: Target;
  /** Decoded. */
  readonly pathParameters: Record<string, string>;
}

/** A segment of a resource's path: a text, or a parameter such as `{id}`. */
export const pathPart = /^(?:[\w-]+|\{\w+\})$/;

/**
 * Compiles the resources of a REST API into a search by the path of a request, which may end with a
 * slash: API Gateway ignores that one. A literal segment wins over a parameter.
 *
 * @param targets by resource path, such as `/offers/{id}/resend`
 */
export const compileRoutes = <Target>(
  targets: ReadonlyMap<string, Target>,
): ((path: string) => RouteMatch<Target> | undefined) => {
  const routes = [...targets]
    // A brace comes after every character of a literal segment.
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, target]) => {
      const source = path.replace(/\/$/, '').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
      return { pattern: new RegExp(`^${source}/?$`), target };
    });
  return (path) => {
    for (const { pattern, target } of routes) {
      const match = pattern.exec(path);
      if (!match) continue;
      const parameters = Object.entries(match.groups ?? {}).map(([name, text]) => [
        name,
        decode(text),
      ]);
      return { target, pathParameters: Object.fromEntries(parameters) };
    }
    return undefined;
  };
};

/** Text that is not valid percent-encoding is passed on as it was sent; the function rejects it. */
const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};
