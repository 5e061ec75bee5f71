import { beforeEach, vi } from 'vitest';
import { testHeader } from './changed-service.ts';

const { fetch } = globalThis;

// So that a service can be broken for each test in another way.
beforeEach(({ task }) => {
  const name = encodeURIComponent(task.fullTestName);
  vi.stubGlobal('fetch', (url: string, init: RequestInit = {}) =>
    fetch(url, { ...init, headers: { ...init.headers, [testHeader]: name } }),
  );
});
