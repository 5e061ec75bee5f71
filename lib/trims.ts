import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import type { Plugin, PluginBuild } from 'esbuild';

/** A change to a file of a package. */
interface Patch {
  /** The path of the file in node_modules. No two trims change the same file. */
  readonly file: string;
  /** The code that the patch was written for. */
  readonly find: string;
  readonly change: (source: string) => string;
}

/** Code that the functions do without. */
export interface Trim {
  readonly patches: readonly Patch[];
  readonly setup?: (build: PluginBuild) => void;
}

/** The versions of the packages that the patches were written for. */
export const writtenFor: Readonly<Record<string, string>> = {
  '@aws-sdk/client-codedeploy': '3.1133.0',
  '@aws-sdk/client-dynamodb': '3.1160.0',
  '@aws-sdk/client-eventbridge': '3.1160.0',
  '@aws-sdk/client-lambda': '3.1160.0',
  '@aws-sdk/client-secrets-manager': '3.1160.0',
  '@aws-sdk/client-sesv2': '3.1160.0',
  '@aws-sdk/client-sqs': '3.1160.0',
  '@aws-sdk/core': '3.981.0',
  '@aws-sdk/lib-dynamodb': '3.1160.0',
  '@aws-sdk/middleware-endpoint-discovery': '3.972.37',
  '@aws-sdk/signature-v4-multi-region': '3.996.52',
  '@smithy/core': '3.41.0',
  '@smithy/node-http-handler': '4.14.2',
  '@smithy/signature-v4': '5.7.5',
};

/**
 * The errors of AWS that the code tests with `instanceof`, and the one that the SDK retries by its
 * class.
 */
export const errorClasses: ReadonlySet<string> = new Set([
  'BadRequestException',
  'ConditionalCheckFailedException',
  'MessageRejected',
  'ReplicatedWriteConflictException',
  'ResourceNotFoundException',
  'TransactionCanceledException',
  'TransactionConflictException',
]);

const clients = Object.keys(writtenFor).filter((name) => name.startsWith('@aws-sdk/client-'));

/** Where the source of the domain calls zod, or a function that makes a schema. */
const makingSchema = /(?<![\w.])(?=(z\.\w+|identifier|ordered|storedText|text)\()/g;

const replace = (file: string, find: string, replacement: string): Patch => ({
  file,
  find,
  change: (source) => source.replaceAll(find, replacement),
});

/** Replaces the one export of a module with an empty class, which has nothing to call. */
const empty = (file: string, kind: 'class' | 'const', name: string): Patch => ({
  file,
  find: `export ${kind} ${name} `,
  change: () => `export class ${name} {}`,
});

/**
 * A cold start reads, compiles and runs the bundle. The figures are the minified bytes that a trim
 * saves of the 235 KB that approve-payment-request loads at its start, unless they name another
 * function. `npm run bench` measures the time that each trim saves, and bundles.test.ts verifies
 * its assumptions.
 */
export const trims = {
  /**
   * An import of a module of Node's reads all of its exports, and some getters are slow: those of
   * `node:http` load undici (nodejs/node#59686), and those of `node:fs` load its promises and
   * readline. process.getBuiltinModule reads none, and esbuild drops the exports that nobody
   * imports. It saves no bytes, but 3 to 5 ms of CPU time when resend-offer is loaded. The
   * benchmark shows more, because its endpoints are local, see below.
   */
  builtins: {
    patches: [
      // For endpoints without TLS, such as the local ones. The dynamic import would load undici.
      replace(
        '@smithy/node-http-handler/dist-es/node-http-handler.js',
        'await import("node:http")',
        'process.getBuiltinModule("node:http")',
      ),
    ],
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^(node:)?[a-z_/]+$/ }, ({ path, kind }) =>
        isBuiltin(path) && kind === 'import-statement'
          ? { path: path.replace(/^node:/, ''), namespace: 'builtin' }
          : undefined,
      );
      onLoad({ filter: /^/, namespace: 'builtin' }, ({ path }) => {
        // The properties of `process` depend on the environment, and a bundle must not.
        const names =
          path === 'process'
            ? ['emitWarning', 'env', 'versions']
            : Object.keys(process.getBuiltinModule(path) ?? {});
        return {
          contents: [
            `const $module = process.getBuiltinModule('node:${path}');`,
            'const $read = (name) => $module[name];',
            'export default $module;',
            ...names.map((name) => `export const ${name} = /* @__PURE__ */ $read('${name}');`),
          ].join('\n'),
        };
      });
    },
  },

  /**
   * Node.js makes what it shares with browsers on its first use. `getRandomValues` loads WebCrypto
   * with the function, and to ask whether a body is a ReadableStream loads web streams in its first
   * call: about 2 ms of CPU time together. A body here is a stream of Node.js, and `node:crypto`
   * has the same randomUUID.
   */
  webApis: {
    patches: [
      replace(
        '@smithy/core/dist-es/submodules/serde/index.js',
        'import { getRandomValues } from "node:crypto";',
        'const getRandomValues = undefined;',
      ),
      {
        file: '@smithy/core/dist-es/submodules/serde/uuid/v4.js',
        find: 'export function bindV4(getRandomValues) {',
        change: () =>
          "import { randomUUID } from 'node:crypto'; export const bindV4 = () => randomUUID;",
      },
    ],
    setup: ({ initialOptions }) => {
      initialOptions.define = { ...initialOptions.define, ReadableStream: 'undefined' };
    },
  },

  /**
   * Lambda gives a function its role's credentials in environment variables, and an instance ends
   * before they expire (Lambda Developer Guide, "Defined runtime environment variables"). Profiles,
   * single sign-on, web identities and instance metadata are never used: 39.4 KB, and 18 files that
   * are loaded on demand.
   */
  credentials: {
    patches: clients.map((client) =>
      replace(
        `${client}/dist-es/runtimeConfig.js`,
        '{ defaultProvider as credentialDefaultProvider } from "@aws-sdk/credential-provider-node"',
        '{ fromEnv as credentialDefaultProvider } from "@aws-sdk/credential-provider-env"',
      ),
    ),
  },

  /**
   * The SDK looks for settings in the environment, and then in ~/.aws/config and
   * ~/.aws/credentials. Lambda has no such files. And it makes and catches an error for each place
   * that a setting is not in: 3.1 KB, and two files that are not looked for.
   */
  files: {
    patches: [
      replace(
        '@smithy/core/dist-es/submodules/config/node-config-provider/configLoader.js',
        'chain(fromEnv(environmentVariableSelector, envOptions), fromSharedConfigFiles(configFileSelector, configuration), fromStatic(defaultValue))',
        `async () => environmentVariableSelector(process.env, envOptions) ??
          (typeof defaultValue === 'function' ? defaultValue() : defaultValue)`,
      ),
    ],
  },

  /**
   * esbuild keeps every object with a computed key, `{ [_h]: … }`, because the computation could
   * have an effect. These are the schemas of all operations of SES and SQS; with the constants in
   * place it keeps those that are used.
   *
   * A client registers a class for each error of its service. An error without a class comes as the
   * service's general exception, under its own name, which is enough unless the class is tested.
   *
   * Together 11.0 KB, and 58.1 KB of deliver-offer, which would be 295 KB: its maximum is 280 KB.
   */
  schemas: {
    patches: clients.flatMap((client): Patch[] => {
      const file = `${client}/dist-es/schemas/schemas_0.js`;
      return [
        {
          file,
          find: '{ [_',
          change: (source) => {
            const constants = new Map(
              Array.from(source.matchAll(/^const (\w+) = ("[^"]*");$/gm), ([, name, text]) => [
                name,
                text,
              ]),
            );
            return source.replaceAll(
              /\[(\w+)\]:/g,
              (computed, name) => `${constants.get(name) ?? computed.slice(0, -1)}:`,
            );
          },
        },
        {
          file,
          find: '\nn0_registry.registerError(',
          change: (source) =>
            source.replaceAll(
              /^n0_registry\.registerError\([\w$]+, (\w+)\);$/gm,
              (registration, error) => (errorClasses.has(error) ? registration : ''),
            ),
        },
      ];
    }),
  },

  /**
   * A module of the domain declares schemas for several functions. To esbuild, making one could
   * have an effect, so it keeps them all; it has none: 4.0 KB of deliver-offer, and a thirtieth of
   * its load.
   */
  domain: {
    patches: [],
    setup: ({ onLoad }) => {
      onLoad({ filter: /functions\/domain\/[^/]+\.ts$/ }, async ({ path }) => ({
        contents: (await readFile(path, 'utf8')).replaceAll(makingSchema, '/* @__PURE__ */ '),
        loader: 'ts',
      }));
    },
  },

  /** Code that is imported and never used, for reasons that esbuild cannot know: 24.1 KB. */
  unused: {
    patches: [
      // SHA-256 for a Node.js without `node:crypto`: 3.2 KB.
      empty('@smithy/core/dist-es/submodules/checksum/sha256/Sha256Js.js', 'class', 'Sha256Js'),
      // Signatures of event streams: 2.5 KB.
      empty('@smithy/signature-v4/dist-es/HeaderFormatter.js', 'class', 'HeaderFormatter'),
      // The retry mode "adaptive": 3.3 KB.
      empty(
        '@smithy/core/dist-es/submodules/retry/util-retry/AdaptiveRetryStrategy.js',
        'class',
        'AdaptiveRetryStrategy',
      ),
      // The region of an EC2 instance: 1.3 KB.
      empty(
        '@smithy/core/dist-es/submodules/config/config-resolver/regionConfig/getInstanceMetadataRegion.js',
        'const',
        'getInstanceMetadataRegion',
      ),
      // Signatures for several regions at once, of deliver-offer and publish-events: 3.9 KB.
      {
        file: '@aws-sdk/signature-v4-multi-region/dist-es/SignatureV4MultiRegion.js',
        find: 'export class SignatureV4MultiRegion ',
        change: () => `
          import { SignatureV4 } from '@smithy/signature-v4';
          export class SignatureV4MultiRegion extends SignatureV4 {
            static sigv4aDependency = () => 'none';
          }`,
      },
      // A log that logs nothing, for which every call copies what it sends and receives: 0.7 KB.
      replace(
        '@aws-sdk/core/dist-es/submodules/client/middleware-logger/loggerMiddleware.js',
        'clientStack.add(loggerMiddleware(), loggerMiddlewareOptions);',
        '',
      ),
      // Scans: 0.9 KB.
      empty('@aws-sdk/lib-dynamodb/dist-es/pagination/ScanPaginator.js', 'const', 'paginateScan'),
      // DynamoDB's endpoint discovery, which is off by default: 8.0 KB.
      replace(
        '@aws-sdk/middleware-endpoint-discovery/dist-es/resolveEndpointDiscoveryConfig.js',
        'import { EndpointCache } from "@aws-sdk/endpoint-cache";',
        'class EndpointCache {}',
      ),
      // Bodies that are files, which load Node's file streams. A body of ours is text.
      replace(
        '@smithy/core/dist-es/submodules/serde/util-body-length/calculateBodyLength.js',
        'body instanceof ReadStream',
        'false',
      ),
      // A client's list of dependencies, imported with its version: 2.3 KB.
      ...clients.map(
        (client): Patch => ({
          file: `${client}/package.json`,
          find: '"dependencies": {',
          change: (source) => JSON.stringify({ version: JSON.parse(source).version }),
        }),
      ),
    ],
    setup: ({ initialOptions, onResolve, onLoad }) => {
      // The SDK imports them on demand, for event streams and in a browser: 1.8 KB, and 4 files.
      initialOptions.external = ['@smithy/core/event-streams', 'bowser'];
      // Lambda's client alone imports event streams at its start, for an operation that is not
      // used.
      onResolve({ filter: /^@smithy\/core\/event-streams$/ }, ({ path, kind }) =>
        kind === 'import-statement' ? { path, namespace: 'unused' } : undefined,
      );
      onLoad({ filter: /^/, namespace: 'unused' }, () => ({
        contents: `export const eventStreamSerdeProvider = undefined;
          export const resolveEventStreamSerdeConfig = (config) => config;`,
      }));
    },
  },
} satisfies Record<string, Trim>;

/**
 * Makes a trim a plugin of esbuild.
 *
 * The plugin stops the build if a package no longer has the code that the trim patches, even if
 * this bundle does not contain that package.
 */
export const pluginOf = (name: string, { patches, setup }: Trim): Plugin => ({
  name,
  setup: async (build) => {
    for (const [file, changes] of Map.groupBy(patches, (patch) => patch.file)) {
      const load = async (path: string) =>
        changes.reduce(
          (source, patch) => patched(name, patch, source),
          await readFile(path, 'utf8').catch(() => ''),
        );
      await load(join(packages, file));
      build.onLoad({ filter: new RegExp(`/node_modules/${file}$`) }, async ({ path }) => ({
        contents: await load(path),
        loader: 'default',
      }));
    }
    setup?.(build);
  },
});

const packages = join(import.meta.dirname, '../node_modules');

const patched = (trim: string, { file, find, change }: Patch, source: string): string => {
  const changed = source.includes(find) ? change(source) : source;
  if (changed !== source) return changed;
  const packageName = file.split('/').slice(0, 2).join('/');
  throw new Error(
    `The trim "${trim}" does not find \`${find.trim()}\` in node_modules/${file}. ` +
      `The patch was written for ${packageName} ${writtenFor[packageName]}.`,
  );
};

/** All trims as plugins of esbuild. */
export const trimPlugins = (): Plugin[] =>
  Object.entries(trims).map(([name, trim]) => pluginOf(name, trim));
