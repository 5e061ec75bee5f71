import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { developmentTemplate, functionsOf } from '../support/synthesized.ts';

describe.each([...functionsOf(developmentTemplate())])('the bundle of %s', (_, [, lambda]) => {
  const { assemblyDirectory } = inject('stack');
  const asset = String(lambda.Properties.Code.S3Key).replace(/\.zip$/, '');
  const directory = join(assemblyDirectory, `asset.${asset}`);
  const read = (name: string) => readFileSync(join(directory, name), 'utf8');
  const modules = readdirSync(directory).filter((name) => name.endsWith('.mjs'));
  const maps = modules.map((name) => JSON.parse(read(`${name}.map`)));
  const sources: string[] = maps.flatMap((map) => map.sources);

  test('is made of ES modules with their source maps, and of nothing else', () => {
    expect(readdirSync(directory).sort()).toEqual(
      modules.flatMap((name) => [name, `${name}.map`]).sort(),
    );
    for (const name of modules) {
      expect(read(name)).toMatch(/\bexport\b/);
      expect(read(name).trimEnd().endsWith(`//# sourceMappingURL=${name}.map`)).toBe(true);
    }
    expect(read('index.mjs')).toMatch(/export\s*\{[^}]*\bas handler\b/);
  });

  test('is minified: shorter than what it was made from', () => {
    const lengthOf = (texts: string[]) => texts.reduce((sum, text) => sum + text.length, 0);
    const written = maps.flatMap((map): string[] => map.sourcesContent);
    expect(lengthOf(modules.map(read))).toBeLessThan(lengthOf(written) / 2);
  });

  test('has no SDK of X-Ray: Lambda itself traces', () => {
    expect(sources.filter((source) => /node_modules\/aws-xray/.test(source))).toEqual([]);
  });

  test('names no path of the machine that made it', () => {
    for (const source of sources) expect(source).not.toMatch(/^(\/|file:|[A-Z]:)/i);
  });

  test('is far from what Lambda takes', () => {
    // 250 MB unzipped (AWS Lambda quotas).
    const bytes = readdirSync(directory)
      .map((name) => statSync(join(directory, name)).size)
      .reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThan(25 * 1024 * 1024);
  });
});
