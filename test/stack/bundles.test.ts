import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { developmentTemplate, functionsOf } from '../support/synthesized.ts';

describe.each([...functionsOf(developmentTemplate())])('the bundle of %s', (_, [, lambda]) => {
  const { assemblyDirectory } = inject('stack');
  const asset = String(lambda.Properties.Code.S3Key).replace(/\.zip$/, '');
  const directory = join(assemblyDirectory, `asset.${asset}`);
  const code = readFileSync(join(directory, 'index.mjs'), 'utf8');
  const map = JSON.parse(readFileSync(join(directory, 'index.mjs.map'), 'utf8'));

  test('is one ES module with its source map, and nothing else', () => {
    expect(readdirSync(directory).sort()).toEqual(['index.mjs', 'index.mjs.map']);
    expect(code).toMatch(/export\s*\{[^}]*\bas handler\b/);
    expect(code).toMatch(/\/\/# sourceMappingURL=index\.mjs\.map\s*$/);
  });

  test('is minified: shorter than what it was made from', () => {
    const sources: string[] = map.sourcesContent;
    const length = sources.reduce((sum, source) => sum + source.length, 0);
    expect(code.length).toBeLessThan(length / 2);
    expect(code).not.toContain('/** ');
  });

  test('has no SDK of X-Ray: Lambda itself traces', () => {
    expect(map.sources.filter((source: string) => /node_modules\/aws-xray/.test(source))).toEqual(
      [],
    );
  });

  test('names no path of the machine that made it', () => {
    for (const source of map.sources) expect(source).toMatch(/^\.\.\//);
  });

  test('is far from what Lambda takes', () => {
    // 250 MB unzipped (AWS Lambda quotas).
    const bytes = readdirSync(directory)
      .map((name) => statSync(join(directory, name)).size)
      .reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThan(25 * 1024 * 1024);
  });
});
