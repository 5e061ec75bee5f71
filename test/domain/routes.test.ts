import { expect, test } from 'vitest';
import { routes } from '../../functions/domain/routes.ts';
import { methodsEverywhere } from '../../lib/openapi/methods.ts';

test('a response for every path lists the methods that all paths have, or else those that any has', () => {
  const [approve, create, list] = [
    routes.approvePaymentRequest,
    routes.createSandbox,
    routes.listSandboxes,
  ];
  expect(methodsEverywhere([approve, create, list])).toBe('POST');
  expect(methodsEverywhere([approve, { ...list, path: '/v1/payment-requests' }])).toBe('GET, POST');
});
