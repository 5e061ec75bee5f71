import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Metafile, Plugin } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../../functions/domain/routes.ts';
import { buildDirectory } from '../build-directory.ts';
import { bundleFunction, functionNames } from '../bundles.ts';
import { errorClasses, pluginOf, type Trim, trims } from '../trims.ts';

/** Sizes in KB that no function's bundle may exceed. */
const limits = { start: 280, compressed: 90, keyed: 25 } as const;

const parent = buildDirectory();

const bundles = new Map<string, Metafile['outputs']>();
beforeAll(async () => {
  const umask = process.umask(0o077);
  try {
    for (const name of functionNames) {
      bundles.set(name, (await bundleFunction(name, join(parent, name))).outputs);
    }
  } finally {
    process.umask(umask);
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
    ['event streams', /event-streams/],
    ['packages for browsers', /bowser/],
    ['parsers of JMESPath', /powertools\/jmespath/],
  ])('is without %s', (_, pattern) => {
    // The replacements of trims have no path there.
    const packages = sourcesIn(name).filter((source) => source.includes('node_modules'));
    expect(packages.filter((source) => pattern.test(source))).toEqual([]);
  });

  test('may be read by everyone, whatever the umask', () => {
    const directory = join(parent, name);
    const modes = readdirSync(directory).map(
      (file) => statSync(join(directory, file)).mode & 0o777,
    );
    expect(new Set(modes)).toEqual(new Set([0o644]));
    expect(statSync(directory).mode & 0o777).toBe(0o755);
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

test('an error class that code tests with `instanceof` is kept', () => {
  const sources = [...new Set(functionNames.flatMap((name) => sourcesIn(name)))]
    .filter((path) => /^(functions|node_modules)\//.test(path) && !/@aws-sdk\/client-/.test(path))
    .map((path) => readFileSync(path, 'utf8'));
  const asked = sources
    .flatMap((source) => [...source.matchAll(/instanceof (\w+(Exception|Rejected))\b/g)])
    .map(([, name]) => name);
  expect(asked).toContain('TransactionCanceledException');
  // The SDK retries the last one by its class.
  expect(errorClasses).toEqual(new Set([...asked, 'ReplicatedWriteConflictException']));
});

/** The errors of a build that must fail are in its exception and need not be printed. */
const silent: Plugin = {
  name: 'silent',
  setup: ({ initialOptions }) => {
    initialOptions.logLevel = 'silent';
  },
};

test.each<[string, Partial<Trim['patches'][number]>, string]>([
  ['code', { find: 'export const missing' }, 'export const missing'],
  ['change', { change: (source) => source }, 'node_modules/'],
  ['file', { file: 'nothing/here.js' }, 'nothing/here.js'],
])('the build stops where a trim finds no %s to patch', async (_, fields, named) => {
  const patches = trims.credentials.patches.map((patch) => ({ ...patch, ...fields }));
  const plugins = [silent, pluginOf('credentials', { patches })];
  const built = bundleFunction('authorize', join(parent, 'stopped'), plugins);
  await expect(built).rejects.toThrow('The trim "credentials" does not find');
  await expect(built).rejects.toThrow(named);
});
