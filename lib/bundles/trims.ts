import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import type { Plugin, PluginBuild } from 'esbuild';
import project from '../../package.json' with { type: 'json' };

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

/**
 * The errors of AWS that the code tests with `instanceof`, and the one that the SDK retries by its
 * class.
 */
export const errorClasses: ReadonlySet<string> = new Set([
  'ConditionalCheckFailedException',
  'ReplicatedWriteConflictException',
  'TransactionCanceledException',
  'TransactionConflictException',
]);

/** The clients that the functions use: those of development are not among the dependencies. */
const clients = Object.keys(project.dependencies).filter((name) =>
  name.startsWith('@aws-sdk/client-'),
);

const replace = (file: string, find: string, replacement: string): Patch => ({
  file,
  find,
  change: (source) => source.replaceAll(find, replacement),
});

/** Replaces the one export of a module with an empty class, which has nothing to call. */
const empty = (file: string, name: string): Patch => ({
  file,
  find: `export class ${name} `,
  change: () => `export class ${name} {}`,
});

/**
 * An alias of esbuild's could take the place of three patches (the credentials, EndpointCache and
 * SignatureV4MultiRegion) with the same bytes. But its stand-ins would import the SDK's inner
 * packages, which would become dependencies of ours, and the build would not stop when the SDK no
 * longer imports what the alias replaces.
 *
 * A cold start reads, compiles and runs the bundle; what counts is its time, not the bytes. Without
 * any of the trims it takes 1.17 to 1.24 of the time that it takes with all. `credentials`,
 * `schemas` and the JMESPath of `unused` save 67 to 74 % of the bytes, but a quarter of the time:
 * with these three alone it takes 1.13 to 1.17; with `builtins` beside them 1.08 to 1.11, with the
 * rest of `unused` in its place 1.07 to 1.11. So all stay. (Approve, list with a cursor, keyed
 * resend, authorize and deliver-offer, 41 starts each in turns on a quiet machine, quartiles within
 * 0.04.) `npm run bench` measures two functions without trims, and bundles.test.ts verifies what is
 * left out.
 *
 * V8's code cache would save another tenth, and replace most of these patches; it cannot be
 * deployed. Node.js looks for it under its exact version, the processor's architecture and the id
 * of the user (`v24.21.0-arm64-<hash>-<uid>`, Node.js documentation, "Module compile cache").
 * Lambda updates Node.js by itself (Lambda Developer Guide, "Runtime version updates"), does not
 * promise the id, and the machine that bundles is often not an arm64 one. So most deployments
 * would carry a cache that is never read. And two runs with the same source write different
 * bytes, so an unchanged function would be deployed anew each time.
 */
export const trims = {
  /**
   * An import of a module of Node's reads all of its exports, and some getters are slow: those of
   * `node:http` load undici (nodejs/node#59686), and those of `node:fs` load its promises and
   * readline. process.getBuiltinModule reads none, and esbuild drops the exports that are
   * not imported. It saves no bytes.
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
   * Lambda gives a function its role's credentials in environment variables, and an instance ends
   * before they expire (Lambda Developer Guide, "Defined runtime environment variables"). Profiles,
   * single sign-on, web identities and instance metadata are never used.
   */
  credentials: {
    patches: [
      {
        file: '@aws-sdk/credential-provider-node/dist-es/index.js',
        find: 'export { defaultProvider, ',
        change: () =>
          'export { fromEnv as defaultProvider } from "@aws-sdk/credential-provider-env";',
      },
    ],
  },

  /**
   * The SDK looks for settings in the environment, and then in ~/.aws/config and
   * ~/.aws/credentials. Lambda has no such files. And it makes and catches an error for each place
   * that a setting is not in.
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

  /** Code that is imported and never used, for reasons that esbuild cannot know. */
  unused: {
    patches: [
      // SHA-256 for a Node.js without `node:crypto`.
      empty('@smithy/core/dist-es/submodules/checksum/sha256/Sha256Js.js', 'Sha256Js'),
      // Signatures of event streams.
      empty('@smithy/signature-v4/dist-es/HeaderFormatter.js', 'HeaderFormatter'),
      // The retry mode "adaptive".
      empty(
        '@smithy/core/dist-es/submodules/retry/util-retry/AdaptiveRetryStrategy.js',
        'AdaptiveRetryStrategy',
      ),
      // Signatures for several regions at once, of deliver-offer and publish-events.
      {
        file: '@aws-sdk/signature-v4-multi-region/dist-es/SignatureV4MultiRegion.js',
        find: 'export class SignatureV4MultiRegion ',
        change: () => `
          import { SignatureV4 } from '@smithy/signature-v4';
          export class SignatureV4MultiRegion extends SignatureV4 {
            static sigv4aDependency = () => 'none';
          }`,
      },
      // DynamoDB's endpoint discovery, which is off by default.
      empty('@aws-sdk/endpoint-cache/dist-es/EndpointCache.js', 'EndpointCache'),
      // Bodies that are files, which load Node's file streams. A body of ours is text.
      replace(
        '@smithy/core/dist-es/submodules/serde/util-body-length/calculateBodyLength.js',
        'body instanceof ReadStream',
        'false',
      ),
      // A parser of JMESPath. The one expression of ours is the name of a member.
      ...['IdempotencyHandler', 'persistence/BasePersistenceLayer'].map((file) =>
        replace(
          `@aws-lambda-powertools/idempotency/lib/esm/${file}.js`,
          "import { search } from '@aws-lambda-powertools/jmespath';",
          `const search = (member, data) => {
            if (Object.hasOwn(data, member)) return data[member];
            throw new Error(member + ' is not the name of a member: lib/bundles/trims.ts.');
          };`,
        ),
      ),
      replace(
        '@aws-lambda-powertools/idempotency/lib/esm/IdempotencyConfig.js',
        "import { PowertoolsFunctions } from '@aws-lambda-powertools/jmespath/functions';",
        'class PowertoolsFunctions {}',
      ),
      // A client's list of dependencies, imported with its version.
      ...clients.map(
        (client): Patch => ({
          file: `${client}/package.json`,
          find: '"dependencies": {',
          change: (source) => JSON.stringify({ version: JSON.parse(source).version }),
        }),
      ),
    ],
    setup: ({ initialOptions }) => {
      // The SDK imports them on demand, for event streams and in a browser.
      initialOptions.external = ['@smithy/core/event-streams', 'bowser'];
    },
  },
} satisfies Record<string, Trim>;

/**
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

const packages = join(import.meta.dirname, '../../node_modules');

const patched = (trim: string, { file, find, change }: Patch, source: string): string => {
  const changed = source.includes(find) ? change(source) : source;
  if (changed !== source) return changed;
  throw new Error(`The trim "${trim}" does not find \`${find.trim()}\` in node_modules/${file}.`);
};

export const trimPlugins = (): Plugin[] =>
  Object.entries(trims).map(([name, trim]) => pluginOf(name, trim));
