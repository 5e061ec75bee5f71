import { type Route, routes } from '../../functions/domain/routes.ts';

/** The methods of a path, as an `Allow` header lists them. */
export const allowedMethods = (path: string): string =>
  Object.values<Route>(routes)
    .filter((route) => route.path === path)
    .map(({ method }) => method)
    .sort()
    .join(', ');

/** The methods that every path has, for an `Allow` header that is the same for all paths. */
export const methodsEverywhere = (): string => {
  const ofPaths = Object.values<Route>(routes).map(({ path }) => allowedMethods(path).split(', '));
  const inAll = (method: string) => ofPaths.every((methods) => methods.includes(method));
  return (ofPaths[0] ?? []).filter(inAll).join(', ');
};
