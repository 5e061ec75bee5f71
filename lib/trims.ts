import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/** The errors of AWS whose class somebody asks for, and the one whose class says that it may pass. */
export const errorClasses: ReadonlySet<string> = new Set([
  'BadRequestException',
  'ConditionalCheckFailedException',
  'MessageRejected',
  'ReplicatedWriteConflictException',
  'ResourceNotFoundException',
  'TransactionCanceledException',
  'TransactionConflictException',
]);

/**
 * SHA-256 for a Node without `node:crypto`, signatures of event streams, retries at a rate that adapts
 * (retry mode "adaptive"), the region of an EC2 instance, the rules of S3, dates in headers, scans, and
 * what only a browser runs.
 */
const unused =
  /\/(Sha256Js|HeaderFormatter|AdaptiveRetryStrategy|getInstanceMetadataRegion|service-customizations\/s3|schema-date-utils|ScanPaginator|[\w-]+\.browser)\.js$/;

/**
 * What the functions do without, each as a plugin of esbuild's. A cold start is reading, compiling
 * and running the bundle: `npm run bench` says what each trim saves, and bundles.test.ts that what
 * it assumes still holds.
 */
export const trims = {
  /**
   * An import of one of Node's own modules reads all of its exports, and some are dear: those of
   * `node:http` load undici (nodejs/node#59686), of `node:fs` its promises and with them readline, of
   * `node:crypto` WebCrypto. process.getBuiltinModule reads none, and esbuild drops the reading of
   * those that nobody imports.
   */
  builtins: {
    name: 'builtins',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^(node:)?[a-z_/]+$/ }, ({ path, kind }) =>
        isBuiltin(path) && kind === 'import-statement'
          ? { path: path.replace(/^node:/, ''), namespace: 'builtin' }
          : undefined,
      );
      onLoad({ filter: /^/, namespace: 'builtin' }, ({ path }) => {
        // What a process has depends on who started it, and a bundle must not: these are imported.
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
      // The SDK imports it when it needs it, which would make a file of its own of that one line.
      onLoad({ filter: /@smithy\/.*\/node-http-handler\.js$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        return {
          contents: source.replaceAll(
            'await import("node:http")',
            'process.getBuiltinModule("node:http")',
          ),
        };
      });
    },
  },

  /**
   * Node makes what it shares with browsers when somebody first asks for it: to ask whether a body is
   * a ReadableStream loads all of web streams, and the global crypto loads WebCrypto. A body here is
   * Node's own stream, and `node:crypto` has the same randomUUID.
   */
  webApis: {
    name: 'web-apis',
    setup: ({ initialOptions, onLoad }) => {
      initialOptions.define = { ...initialOptions.define, ReadableStream: 'undefined' };
      onLoad({ filter: /@smithy\/core\/.*\/uuid\/v4\.js$/ }, () => ({
        contents: `
          import { randomUUID } from 'node:crypto';
          export const bindV4 = () => randomUUID;`,
      }));
    },
  },

  /**
   * Lambda gives a function its role's credentials in environment variables, and an instance ends
   * before they do (Lambda Developer Guide, "Defined runtime environment variables"): profiles,
   * single sign-on, web identities and instance metadata are never asked.
   */
  credentials: {
    name: 'credentials',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^@aws-sdk\/credential-provider-node$/ }, ({ path, resolveDir }) => ({
        path,
        namespace: 'credentials',
        pluginData: resolveDir,
      }));
      onLoad({ filter: /^/, namespace: 'credentials' }, ({ pluginData: resolveDir }) => ({
        contents: `export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';`,
        resolveDir,
      }));
    },
  },

  /**
   * What the SDK is not told otherwise it looks for in the environment, and then in ~/.aws/config and
   * ~/.aws/credentials, with an error made and caught for each place that does not say. Lambda has no
   * such files.
   */
  files: {
    name: 'files',
    setup: ({ onLoad }) => {
      onLoad({ filter: /@smithy\/core\/.*\/configLoader\.js$/ }, () => ({
        contents: `
          import { memoize } from '../property-provider/memoize';
          export const loadConfig = (
            { environmentVariableSelector, default: otherwise },
            { signingName } = {},
          ) =>
            memoize(async () =>
              environmentVariableSelector(process.env, { signingName }) ??
              (typeof otherwise === 'function' ? otherwise() : otherwise),
            );`,
      }));
    },
  },

  /**
   * esbuild keeps whatever has a computed key, `{ [_h]: … }`, since computing one could have an
   * effect: so all operations of SES, where one is used. The constants themselves are harmless.
   *
   * And a client registers a class for each error of its service. One that is not registered comes as
   * the service's general exception, under its own name: that is enough where nobody asks for its class.
   */
  schemas: {
    name: 'schemas',
    setup: ({ onLoad }) => {
      onLoad({ filter: /@aws-sdk\/client-.*\/schemas\/schemas_\d+\.js$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        const constants = new Map(
          Array.from(source.matchAll(/^const (\w+) = ("[^"]*");$/gm), ([, name, text]) => [
            name,
            text,
          ]),
        );
        const contents = source
          .replaceAll(
            /\[(\w+)\]:/g,
            (computed, name) => `${constants.get(name) ?? computed.slice(0, -1)}:`,
          )
          .replaceAll(/^n0_registry\.registerError\([\w$]+, (\w+)\);$/gm, (registration, error) =>
            errorClasses.has(error) ? registration : '',
          );
        return { contents };
      });
    },
  },

  /**
   * The SDK has a logger that logs nothing, if it is given no other. For that it makes a copy of all
   * that each call sends and receives, and a text of each step to its endpoint.
   */
  logs: {
    name: 'logs',
    setup: ({ onLoad }) => {
      onLoad({ filter: /\/loggerMiddleware\.js$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        return { contents: source.replace(/clientStack\.add\(.*\);/, '') };
      });
      onLoad({ filter: /\/toDebugString\.js$/ }, () => ({
        contents: `export const toDebugString = () => '';`,
      }));
    },
  },

  /**
   * What is never used here, but for a reason that esbuild cannot know. In place of a module comes an
   * empty class for each of its exports, which fails if it is used after all.
   */
  unused: {
    name: 'unused',
    setup: ({ onResolve, onLoad }) => {
      onLoad({ filter: unused }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        const names = source.matchAll(/^export (?:class|const|(?:async )?function) (\w+)/gm);
        return { contents: Array.from(names, ([, name]) => `export class ${name} {}`).join('\n') };
      });
      // The SDK imports them when it comes to need them, for event streams and in a browser.
      onResolve({ filter: /^(@smithy\/core\/event-streams|bowser)$/ }, ({ kind }) =>
        kind === 'dynamic-import' ? { external: true } : undefined,
      );
      // DynamoDB's endpoint discovery is off by default.
      onResolve({ filter: /^@aws-sdk\/endpoint-cache$/ }, ({ path }) => ({
        path,
        namespace: 'unused',
      }));
      onLoad({ filter: /^/, namespace: 'unused' }, () => ({
        contents: 'export class EndpointCache {}',
      }));
      // SES signs for many regions at once when it is asked to send from several.
      onLoad({ filter: /\/SignatureV4MultiRegion\.js$/ }, () => ({
        contents: `
          import { SignatureV4 } from '@smithy/signature-v4';
          export class SignatureV4MultiRegion extends SignatureV4 {
            static sigv4aDependency = () => 'none';
          }`,
      }));
      // Asking whether a body streams a file loads Node's file streams; a body of ours is text.
      onLoad({ filter: /@smithy\/.*\/calculateBodyLength\.js$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        return { contents: source.replace('body instanceof ReadStream', 'false') };
      });
      // A client tells AWS its version, and has brought its list of dependencies along for that.
      onLoad({ filter: /@aws-sdk\/client-[^/]*\/package\.json$/ }, async ({ path }) => {
        const { version } = JSON.parse(await readFile(path, 'utf8'));
        return { contents: JSON.stringify({ version }), loader: 'json' };
      });
    },
  },
} satisfies Record<string, Plugin>;

export type Trim = keyof typeof trims;
