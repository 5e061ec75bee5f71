import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Metafile, Plugin } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../../functions/domain/routes.ts';
import { buildDirectory } from '../build-directory.ts';
import { bundleFunction, functionNames } from '../bundles.ts';
import { type Patch, patching } from '../trims.ts';

/** Sizes in KB that no function's bundle may exceed. */
const limits = { start: 310, compressed: 100, keyed: 25 } as const;

const parent = buildDirectory();

const bundles = new Map<string, Metafile['outputs']>();
beforeAll(async () => {
  for (const name of functionNames) {
    bundles.set(name, (await bundleFunction(name, join(parent, name))).outputs);
  }
});

/** The files that a bundle loads when it starts, and those that a request with a key adds. */
const filesOf = (name: string) => {
  const outputs = bundles.get(name) ?? {};
  const entry = Object.keys(outputs).find((path) => path.endsWith('/index.mjs')) ?? '';
  const imported = (kind: string) =>
    (outputs[entry]?.imports ?? [])
      .filter((each) => each.kind === kind && !each.external)
      .map(({ path }) => path);
  return { start: [entry, ...imported('import-statement')], keyed: imported('dynamic-import') };
};

const sourcesIn = (name: string, paths = Object.keys(bundles.get(name) ?? {})) =>
  paths.flatMap((path) => Object.keys(bundles.get(name)?.[path]?.inputs ?? {}));

const kilobytesOf = (name: string, paths: string[], compress = (bytes: Buffer) => bytes) =>
  paths
    .map((path) => compress(readFileSync(join(parent, name, basename(path)))).length / 1024)
    .reduce((sum, size) => sum + size, 0);

describe.each(functionNames)('the bundle of %s', (name) => {
  test('is small, SDK included', () => {
    const { start } = filesOf(name);
    expect(kilobytesOf(name, start)).toBeLessThanOrEqual(limits.start);
    expect(kilobytesOf(name, start, gzipSync)).toBeLessThanOrEqual(limits.compressed);
  });

  test.each([
    ['languages for messages', /zod\/v4\/locales/],
    ['the whole of zod', /zod\/v4\/classic/],
    ['tracing', /xray|opentelemetry|powertools\/tracer/i],
    [
      'ways to credentials but the environment',
      /credential-provider-(?!env|node\/dist-es\/index\.js)|nested-clients/,
    ],
    ['endpoint discovery', /mnemonist/],
    ['readers of configuration files', /shared-ini-file-loader/],
    ['parsers of JMESPath', /powertools\/jmespath/],
  ])('is without %s', (_, pattern) => {
    // The replacements of trims have no path there.
    const packages = sourcesIn(name).filter((source) => source.includes('node_modules'));
    expect(packages.filter((source) => pattern.test(source))).toEqual([]);
  });

  test('imports nothing that Lambda would have to find', () => {
    const imports = Object.values(bundles.get(name) ?? {}).flatMap((output) => output.imports);
    const outside = imports.filter(({ external, kind }) => external && kind !== 'dynamic-import');
    expect(outside).toEqual([]);
  });
});

test.each(Object.values(routes))(
  'the bundle of $functionName loads the idempotency code only for a request with a key',
  ({ functionName: name }) => {
    const { start, keyed } = filesOf(name);
    const found = [start, keyed].map((paths) =>
      sourcesIn(name, paths).some((source) => source.includes('powertools/idempotency')),
    );
    expect(found).toEqual([false, true]);
    expect(kilobytesOf(name, keyed)).toBeLessThanOrEqual(limits.keyed);
  },
);

/** The errors of a build that must fail are in its exception and need not be printed. */
const silent: Plugin = {
  name: 'silent',
  setup: ({ initialOptions }) => {
    initialOptions.logLevel = 'silent';
  },
};

test.each<[string, Partial<Patch>]>([
  ['export const missing', { find: 'export const missing' }],
  ['HeaderFormatter', { change: (source) => source }],
  ['nothing/here.js', { file: 'nothing/here.js' }],
])('the build stops where a patch does not find %s', async (named, fields) => {
  const file = '@smithy/signature-v4/dist-es/HeaderFormatter.js';
  const patch = { file, find: 'export class HeaderFormatter', change: () => '', ...fields };
  const built = bundleFunction('authorize', join(parent, 'stopped'), [silent, patching([patch])]);
  await expect(built).rejects.toThrow('lib/bundles/trims.ts does not find');
  await expect(built).rejects.toThrow(named);
});
