import { describe, expect, test } from 'vitest';
import { apiVersion } from '../../functions/domain/author.ts';
import { methodsEverywhere, type Route, routes } from '../../functions/domain/routes.ts';

const all: readonly Route[] = Object.values(routes);
const different = (values: readonly unknown[]) => new Set(values).size === values.length;

test('no two routes share a method and path, a function or a scope', () => {
  expect(different(all.map(({ method, path }) => `${method} ${path}`))).toBe(true);
  expect(different(all.map(({ functionName }) => functionName))).toBe(true);
  expect(different(all.map(({ scope }) => scope))).toBe(true);
});

test('an answer for every path lists the methods that all paths have, or else those that any has', () => {
  const [approve, create, list] = [
    routes.approvePaymentRequest,
    routes.createSandbox,
    routes.listSandboxes,
  ];
  expect(methodsEverywhere([approve, create, list])).toBe('POST');
  expect(methodsEverywhere([approve, { ...list, path: '/v1/payment-requests' }])).toBe('GET, POST');
});

describe.each(all)('$method $path', ({ path, status, scope }) => {
  test('is in the version that authors record, succeeds with 200 or 201, and has a scope without spaces', () => {
    expect(path.startsWith(`/${apiVersion}/`)).toBe(true);
    expect([200, 201]).toContain(status);
    expect(scope).toMatch(/^[a-z_]+:[a-z]+$/);
  });
});
