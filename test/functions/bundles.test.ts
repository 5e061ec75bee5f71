import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { search } from '@aws-lambda-powertools/jmespath';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import type { Plugin } from 'esbuild';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { idempotencyConfig } from '../../functions/idempotency/records.ts';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import {
  type Bundles,
  bundleFunction,
  bundleFunctions,
  functionNames,
} from '../../lib/bundles/bundles.ts';
import { errorClasses, pluginOf, type Trim, trims } from '../../lib/bundles/trims.ts';
import { authorization } from '../support/function-events.ts';
import { functionsOf } from '../support/read-template.ts';
import { serverOf } from '../support/servers.ts';
import { templateOf, variants } from '../support/synthesize-stage.ts';
import { useFunctions } from '../support/use-functions.ts';
import { type Bundle, bundleLimits, kilobytesOf, newBundle } from './bundle.ts';

const { deployed } = await useFunctions();

const parent = buildDirectory();

const bundles = new Map<string, Bundle>();
/** The bundles that the service of the tests runs. */
let kept: Bundles;
beforeAll(async () => {
  kept = await bundleFunctions();
  for (const name of functionNames) bundles.set(name, await newBundle(name, join(parent, name)));
});
const bundleOf = (name: string) => bundles.get(name) as Bundle;

const sourcesIn = ({ outputs }: Bundle, paths: readonly string[]) =>
  paths.flatMap((path) => Object.keys(outputs[path]?.inputs ?? {}));

const everySource = (one: Bundle) => sourcesIn(one, Object.keys(one.outputs));

/** The sources from packages, without the replacements of trims. */
const packagesIn = (one: Bundle) =>
  everySource(one).filter((each) => each.includes('node_modules'));

const endpoints: readonly Route[] = Object.values(routes);

describe.each(functionNames)('the bundle of %s', (name) => {
  test('is small, SDK included', () => {
    const { start, compressed } = bundleLimits;
    const bundle = bundleOf(name);
    expect(kilobytesOf(bundle, bundle.start)).toBeLessThanOrEqual(start);
    expect(kilobytesOf(bundle, bundle.start, gzipSync)).toBeLessThanOrEqual(compressed);
  });

  test('holds its own code alone, in as few files as can be', () => {
    const { directory, start, keyed } = bundleOf(name);
    const files = readdirSync(directory).filter((file) => file.endsWith('.mjs'));
    expect(files).toHaveLength(start.length + keyed.length);
    expect(readdirSync(directory).sort()).toEqual(
      files.flatMap((file) => [file, `${file}.map`]).sort(),
    );
    const isEndpoint = endpoints.some(({ functionName }) => functionName === name);
    expect([start.length, keyed.length]).toEqual(isEndpoint ? [2, 1] : [1, 0]);
    const others = functionNames.filter((each) => each !== name);
    expect(everySource(bundleOf(name))).not.toEqual(
      expect.arrayContaining([expect.stringMatching(`^functions/(${others.join('|')}).ts$`)]),
    );
  });

  test('names no path of the machine that made it', () => {
    const { directory } = bundleOf(name);
    const maps = readdirSync(directory).filter((file) => file.endsWith('.map'));
    for (const map of maps) {
      const { sources } = JSON.parse(readFileSync(join(directory, map), 'utf8'));
      for (const source of sources) expect(source).not.toMatch(/^(\/|file:|[A-Z]:)/i);
    }
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
    expect(packagesIn(bundleOf(name)).filter((source) => pattern.test(source))).toEqual([]);
  });

  test('starts without undici and file streams, and without asking anybody for anything', async () => {
    let asked = 0;
    const anybody = await serverOf((_, response) => {
      asked += 1;
      response.destroy();
    });
    const url = pathToFileURL(join(bundleOf(name).directory, 'index.mjs'));
    const loaded = await loadedBy(`await import('${url}')`, { AWS_ENDPOINT_URL: anybody });
    expect(loaded).not.toMatch(/undici|internal\/fs\/streams/);
    expect(asked).toBe(0);
  });

  test('imports nothing that Lambda would have to find', () => {
    const imports = Object.values(bundleOf(name).outputs).flatMap((output) => output.imports);
    const outside = imports.filter(({ external, kind }) => external && kind !== 'dynamic-import');
    expect(outside).toEqual([]);
  });

  test('is the same whenever it is built', () => {
    const filesIn = (directory: string) =>
      readdirSync(directory).map((file) => [file, readFileSync(join(directory, file), 'utf8')]);
    expect(filesIn(kept(name))).toEqual(filesIn(bundleOf(name).directory));
  });
});

describe.each(endpoints)('the bundle of $functionName', ({ functionName }) => {
  test('loads the idempotency code only for a request with a key', () => {
    const idempotency = /powertools\/idempotency/;
    const { start, keyed, ...rest } = bundleOf(functionName);
    const found = (paths: readonly string[]) =>
      sourcesIn({ start, keyed, ...rest }, paths).some((source) => idempotency.test(source));
    expect([found(start), found(keyed)]).toEqual([false, true]);
    const size = kilobytesOf({ start, keyed, ...rest }, keyed);
    expect(size).toBeLessThanOrEqual(bundleLimits.keyed);
  });
});

/** Node's own modules that a piece of code loads, in a process of its own. */
const loadedBy = async (code: string, environment = {}): Promise<string> => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', `${code}; console.log(process.moduleLoadList.join())`],
    { env: { AWS_REGION: 'us-east-1', ...environment } },
  );
  return stdout;
};

describe("taking Node's own modules without an import", () => {
  test('is worth it as long as an import loads undici', async () => {
    expect(await loadedBy("await import('node:http')")).toContain('undici');
    expect(await loadedBy("process.getBuiltinModule('node:http').request")).not.toContain('undici');
    expect(await loadedBy("await import('node:https')")).not.toContain('undici');
  });

  test.each(['node:http', 'node:fs', 'node:crypto'])('%s is the same module', async (name) => {
    const { default: imported } = await import(name);
    expect(process.getBuiltinModule(name)).toBe(imported);
  });
});

describe('taking credentials from the environment alone', () => {
  test('is what the whole chain would do in Lambda, and they are never asked for again', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'ASIAEXAMPLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    vi.stubEnv('AWS_SESSION_TOKEN', 'session');
    onTestFinished(() => void vi.unstubAllEnvs());
    const credentials = await defaultProvider()();
    expect(credentials).toMatchObject({
      accessKeyId: 'ASIAEXAMPLE',
      secretAccessKey: 'secret',
      sessionToken: 'session',
    });
    expect(credentials.expiration).toBeUndefined();
  });

  test('signs the requests of a function with its session, in its region', async () => {
    const headers: Record<string, unknown>[] = [];
    const dynamodb = await serverOf((request, response) => {
      headers.push(request.headers);
      request.resume();
      response.setHeader('Content-Type', 'application/x-amz-json-1.0').end('{}');
    });
    const lambda = deployed('authorize', {
      AWS_ENDPOINT_URL_DYNAMODB: dynamodb,
      AWS_SESSION_TOKEN: 'session-of-the-role',
    });
    await lambda.invoke(authorization(routes.listSandboxes, 'Bearer token'));
    expect(headers).toEqual([
      expect.objectContaining({
        'x-amz-security-token': 'session-of-the-role',
        authorization: expect.stringMatching(/Credential=local\/\d+\/us-east-1\/dynamodb\//),
      }),
    ]);
  });

  test.each(variants)(
    '%s: no function gets credentials other than from its environment',
    async (_, context) => {
      for (const [name, [, { Properties }]] of functionsOf(await templateOf(context))) {
        // Snapshots, and instances that Lambda manages on EC2, outlive credentials.
        expect(Properties, name).not.toHaveProperty('SnapStart');
        expect(Properties, name).not.toHaveProperty('CapacityProviderConfig');
        expect(Properties.PackageType ?? 'Zip', name).toBe('Zip');
      }
    },
  );
});

describe.each(variants)('a function with %s', (_, context) => {
  test('sets no variable that a left-out part of the SDK reads', async () => {
    for (const [, [, { Properties }]] of functionsOf(await templateOf(context))) {
      const names = Object.keys(Properties.Environment.Variables).join();
      expect(names).not.toMatch(/DISCOVERY|_FILE|PROFILE|HOME|RETRY_MODE|DEFAULTS_MODE/);
    }
  });
});

test('endpoint discovery is off unless it is turned on', async () => {
  const { endpointDiscoveryEnabled } = new DynamoDBClient({ region: 'us-east-1' }).config;
  expect(await endpointDiscoveryEnabled?.()).toBeUndefined();
});

test('the one JMESPath expression of a record is the name of the member that it selects', () => {
  const { eventKeyJmesPath, payloadValidationJmesPath = '' } = idempotencyConfig;
  const intent = { fingerprint: 'of a body' };
  expect(eventKeyJmesPath).toBe('');
  expect(Object.entries(intent)).toEqual([
    [payloadValidationJmesPath, search(payloadValidationJmesPath, intent)],
  ]);
});

/** The size of a source in a function's first files, which must have it. */
const sizeIn = (name: string, source: RegExp): number => {
  const { outputs, start } = bundleOf(name);
  const found = start
    .flatMap((path) => Object.entries(outputs[path]?.inputs ?? {}))
    .filter(([each]) => source.test(each));
  expect(found).toHaveLength(1);
  return found[0]?.[1].bytesInOutput ?? 0;
};

test('of the operations of SES, the bundle holds the one that is used', () => {
  expect(sizeIn('deliver-offer', /client-sesv2\/dist-es\/schemas\//)).toBeLessThan(3 * 1024);
});

test.each(['Sha256Js', 'HeaderFormatter', 'AdaptiveRetryStrategy'])(
  'keeps only the name of %s, which the SDK imports',
  (module) => {
    expect(sizeIn('deliver-offer', new RegExp(`/${module}\\.js$`))).toBeLessThan(50);
  },
);

describe('telling errors of AWS by their names', () => {
  const sources = () =>
    [...new Set(functionNames.flatMap((name) => everySource(bundleOf(name))))]
      .filter((path) => /^(functions|node_modules)\//.test(path))
      .map((path) => [path, readFileSync(path, 'utf8')] as const);

  test('keeps each error class that code tests with `instanceof`', () => {
    const asked = sources()
      .filter(([path]) => !/@aws-sdk\/client-/.test(path))
      .flatMap(([, source]) => [...source.matchAll(/instanceof (\w+(Exception|Rejected))\b/g)])
      .map(([, name]) => name);
    expect(asked).toContain('TransactionCanceledException');
    expect(errorClasses).toEqual(new Set([...asked, 'ReplicatedWriteConflictException']));
  });

  test('keeps the classes that mark an error as retryable', () => {
    const models = sources().filter(([path]) => /models\/errors\.js$/.test(path));
    const retryable = models
      .flatMap(([, source]) => source.split(/^export class /m))
      .filter((source) => source.includes('$retryable'))
      .map((source) => source.split(' ')[0]);
    expect(retryable).toEqual(['ReplicatedWriteConflictException']);
  });
});

test('bundles that nothing has changed are used again', async () => {
  const again = await bundleFunctions();
  expect(functionNames.map(again)).toEqual(functionNames.map(kept));
});

/** The errors of a build that must fail are in its exception and need not be printed. */
const silent: Plugin = {
  name: 'silent',
  setup: ({ initialOptions }) => {
    initialOptions.logLevel = 'silent';
  },
};
const bundleWith = (plugin: Plugin) =>
  bundleFunction('authorize', join(parent, 'stopped'), [silent, plugin]);

const patching = Object.entries<Trim>(trims).filter(([, { patches }]) => patches.length > 0);

describe.each(patching)('the trim of %s', (name, { patches }) => {
  const missing = 'export const missing';

  test.each(patches)('stops the build without its needle in $file', async (patch) => {
    const plugin = pluginOf(name, { patches: [{ ...patch, find: missing }] });
    await expect(bundleWith(plugin)).rejects.toThrow(
      `The trim "${name}" does not find \`${missing}\` in node_modules/${patch.file}.`,
    );
  });

  test.each(patches)('stops the build when it changes nothing in $file', async (patch) => {
    const plugin = pluginOf(name, { patches: [{ ...patch, change: (source) => source }] });
    await expect(bundleWith(plugin)).rejects.toThrow(`node_modules/${patch.file}`);
  });

  test('stops the build without its file', async () => {
    const moved = patches.map((patch) => ({ ...patch, file: `${patch.file}.moved` }));
    const plugin = pluginOf(name, { patches: moved });
    await expect(bundleWith(plugin)).rejects.toThrow(`node_modules/${moved[0]?.file}`);
  });
});
