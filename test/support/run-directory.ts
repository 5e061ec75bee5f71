import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly runDirectory: string;
  }
}

/** Makes the directory for what tests write, which goes when the run is over. */
export default function setup(project: TestProject) {
  const directory = mkdtempSync(join(tmpdir(), 'payments-test-'));
  project.provide('runDirectory', directory);
  return () => rmSync(directory, { recursive: true, force: true });
}
