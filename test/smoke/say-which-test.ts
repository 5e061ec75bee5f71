import { testHeader } from './test-header.ts';

const { fetch } = globalThis;

// A run preloads this, so that a service can be broken for each of its tests in another way.
globalThis.fetch = async (input, init = {}) => {
  const { TestRunner } = await import('vitest');
  const name = encodeURIComponent(TestRunner.getCurrentTest()?.fullTestName ?? '');
  return fetch(input, { ...init, headers: { ...init.headers, [testHeader]: name } });
};
