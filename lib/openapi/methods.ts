import { type Route, routes } from '../../functions/domain/routes.ts';

/** The methods of a path, as an `Allow` header lists them. */
export const allowedMethods = (path: string): string =>
  Object.values<Route>(routes)
    .filter((route) => route.path === path)
    .map(({ method }) => method)
    .sort()
    .join(', ');

/**
 * What a response that is the same for all paths can list as their methods: those that every path
 * has, or, if there are none, those that any path has.
 */
export const methodsEverywhere = (all: readonly Route[] = Object.values(routes)): string => {
  const methods = [...new Set(all.map(({ method }) => method))].sort();
  const everywhere = methods.filter((method) =>
    all.every(({ path }) => all.some((other) => other.path === path && other.method === method)),
  );
  return (everywhere.length > 0 ? everywhere : methods).join(', ');
};
