import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import project from '../../package.json' with { type: 'json' };

/** A change to a file of a package. */
export interface Patch {
  /** The path of the file in node_modules. No two patches change the same file. */
  readonly file: string;
  /** The code that the patch was written for. */
  readonly find: string;
  readonly change: (source: string) => string;
}

const replace = (file: string, find: string, replacement: string): Patch => ({
  file,
  find,
  change: (source) => source.replaceAll(find, replacement),
});

/** The clients that the functions use: those of development are not among the dependencies. */
const clients = Object.keys(project.dependencies).filter((name) =>
  name.startsWith('@aws-sdk/client-'),
);

/**
 * What a cold start does without, of which it reads, compiles and runs the bundle: the KB are those
 * that a patch saves, minified. Without the trims a cold start over TLS takes 1.1 to 1.3 times as
 * long, which `npm run bench` measures of two functions.
 *
 * V8's code cache cannot be deployed in their place: Node.js looks for it under its exact version,
 * the processor's architecture and the id of the user (Node.js documentation, "Module compile
 * cache"), and Lambda updates Node.js by itself.
 */
const patches: readonly Patch[] = [
  // For endpoints without TLS, such as the local ones. The dynamic import would load undici.
  replace(
    '@smithy/node-http-handler/dist-es/node-http-handler.js',
    'await import("node:http")',
    'process.getBuiltinModule("node:http")',
  ),
  // Lambda gives a function its role's credentials in environment variables, and an instance ends
  // before they expire (Lambda Developer Guide, "Defined runtime environment variables"): 39.4 KB
  // of profiles, single sign-on, web identities and instance metadata.
  {
    file: '@aws-sdk/credential-provider-node/dist-es/index.js',
    find: 'export { defaultProvider, ',
    change: () => 'export { fromEnv as defaultProvider } from "@aws-sdk/credential-provider-env";',
  },
  // Settings in ~/.aws, which Lambda does not have, and a local run must not obey: 3.1 KB.
  replace(
    '@smithy/core/dist-es/submodules/config/node-config-provider/configLoader.js',
    'chain(fromEnv(environmentVariableSelector, envOptions), fromSharedConfigFiles(configFileSelector, configuration), fromStatic(defaultValue))',
    `async () => environmentVariableSelector(process.env, envOptions) ??
      (typeof defaultValue === 'function' ? defaultValue() : defaultValue)`,
  ),
  // DynamoDB's endpoint discovery, which is off by default: 8.0 KB.
  {
    file: '@aws-sdk/endpoint-cache/dist-es/EndpointCache.js',
    find: 'export class EndpointCache ',
    change: () => 'export class EndpointCache {}',
  },
  // A parser of JMESPath: 23.5 KB of what a request with a key adds. The one expression of ours is
  // the name of a member.
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
  // esbuild keeps every object with a computed key, `{ [_h]: … }`, because the computation could
  // have an effect: the schemas of all operations. With the constants in place it keeps those that
  // are used.
  ...clients.map(
    (client): Patch => ({
      file: `${client}/dist-es/schemas/schemas_0.js`,
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
    }),
  ),
];

/**
 * Patches packages. It stops the build if a package no longer has the code that a patch is for,
 * even if this bundle does not contain that package.
 */
export const patching = (all: readonly Patch[]): Plugin => ({
  name: 'patches',
  setup: async (build) => {
    for (const patch of all) {
      await patched(patch);
      build.onLoad({ filter: new RegExp(`/node_modules/${patch.file}$`) }, async () => ({
        contents: await patched(patch),
      }));
    }
  },
});

const patched = async ({ file, find, change }: Patch): Promise<string> => {
  const path = join(import.meta.dirname, '../../node_modules', file);
  const source = await readFile(path, 'utf8').catch(() => '');
  const changed = source.includes(find) ? change(source) : source;
  if (changed !== source) return changed;
  throw new Error(`lib/bundles/trims.ts does not find \`${find}\` in node_modules/${file}.`);
};

/**
 * An import of a module of Node's reads all of its exports, and some getters are slow: those of
 * `node:http` load undici (nodejs/node#59686), and those of `node:fs` load its promises and
 * readline. process.getBuiltinModule reads none, and esbuild drops the exports that are not
 * imported.
 */
const builtins: Plugin = {
  name: 'builtins',
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
};

/** Leave out what the functions do without. */
export const trims: readonly Plugin[] = [builtins, patching(patches)];
