import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { demo } from '../../lib/openapi/demo.ts';
import type { OperationObject } from '../../lib/openapi/document.ts';
import { documentationTags } from '../../lib/openapi/guides.ts';
import { installClient, sampleToken, sampleUrl } from '../../lib/openapi/samples.ts';
import project from '../../package.json' with { type: 'json' };
import { contract } from '../support/contract.ts';
import { stack } from '../support/running-stack.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { newOffer, newPaymentRequest, newSandboxes, newTenant } from '../support/tenants.ts';

const run = promisify(execFile);
/** An empty project, into which the packed client is installed. */
const folder = temporaryDirectory();

beforeAll(async () => {
  const [inClone = '', inProject = ''] = installClient
    .replaceAll('/tmp', folder)
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  await run('sh', ['-c', inClone]);
  const env = { ...process.env, npm_config_offline: 'true' };
  await run('sh', ['-c', inProject], { cwd: folder, env });
});

/** The programs of a text that import the client. */
const programsIn = (text: string) =>
  [...text.matchAll(/^```ts\n(.*?)^```$/gms)]
    .map(([, code = '']) => code)
    .filter((code) => code.includes("'workforce-payments-client'"));

const operations = Object.values(contract.paths).flatMap((methods): OperationObject[] =>
  Object.values(methods),
);

/** Every TypeScript sample of the reference, of its guides and of the pages, by where it is. */
const samples = Object.entries({
  reference: operations.map(
    (operation) =>
      operation['x-codeSamples'].find(({ lang }) => lang === 'typescript')?.source ?? '',
  ),
  guides: documentationTags.guides.flatMap(({ description }) => programsIn(description)),
  ...Object.fromEntries(
    ['README.md', 'lib/client/README.md'].map((page) => [
      page,
      programsIn(readFileSync(page, 'utf8')),
    ]),
  ),
}).flatMap(([place, programs]) =>
  programs.map((code, index) => ({ name: `${place.replaceAll(/\W/g, '-')}-${index}`, code })),
);

test('the package has the version of the project, and nothing to install with it', () => {
  const installed = JSON.parse(
    readFileSync(join(folder, 'node_modules/workforce-payments-client/package.json'), 'utf8'),
  );
  expect(installed).toMatchObject({ version: project.version, engines: { node: '>=22.12' } });
  expect(Object.keys(installed)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/ependencies|private/)]),
  );
});

test('every page that has samples of the client is read for them', () => {
  const places = samples.map(({ name }) => name.replace(/-\d+$/, ''));
  expect(new Set(places)).toEqual(
    new Set(['reference', 'guides', 'README-md', 'lib-client-README-md']),
  );
  expect(places.filter((place) => place === 'reference')).toHaveLength(operations.length);
});

/** Checks the types of files in the project. */
const check = (files: readonly string[], ...others: readonly string[]) => {
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023'];
  const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')];
  const args = [...options, ...others, ...types, ...files];
  return run(resolve('node_modules/.bin/tsc'), args, { cwd: folder });
};

test('every TypeScript sample compiles with the types of the client', async () => {
  for (const { name, code } of samples) writeFileSync(join(folder, `${name}.mts`), code);
  await check(samples.map(({ name }) => `${name}.mts`));
});

test('a project with exact optional properties continues a call with the key of its error', async () => {
  writeFileSync(
    join(folder, 'continue.mts'),
    `import type { PaymentsClient, PaymentsError } from 'workforce-payments-client';
export const again = (client: PaymentsClient, { key }: PaymentsError, signal?: AbortSignal) =>
  client.resendOffer('ofr_1', { key, signal });
`,
  );
  await check(['continue.mts'], '--exactOptionalPropertyTypes');
});

/** The newest TypeScript no longer has the resolution that most CommonJS projects use. */
const compilers = {
  7: resolve('node_modules/.bin/tsc'),
  5: createRequire(resolve('lib/openapi/client-types/package.json')).resolve('typescript/bin/tsc'),
};

const program = `import { PaymentsError, paymentsClient, type Sandbox } from 'workforce-payments-client';
const fetch = () => Promise.reject(new Error());
const client = paymentsClient({ baseUrl: 'http://127.0.0.1', token: 'token', tryForS: 0.1, fetch });
const statusOf = (sandbox: Sandbox): 'provisioning' | 'ready' => sandbox.status;
// @ts-expect-error
client.createSandbox({ name: 1 }).then(statusOf).catch((error: unknown) => {
  if (error instanceof PaymentsError) console.log(error.code, error.effect);
});
`;

test.each([
  [5, 'commonjs', 'node10', ['ts']],
  [5, 'node16', 'node16', ['cts', 'mts']],
  [7, 'node16', 'node16', ['cts', 'mts']],
  [7, 'commonjs', 'bundler', ['ts']],
  [7, 'esnext', 'bundler', ['mts']],
] as const)(
  'TypeScript %i finds it with module %s and resolution %s, and Node.js runs it',
  async (version, module, moduleResolution, extensions) => {
    const cwd = join(folder, `${version}-${module}`);
    mkdirSync(cwd);
    const files = extensions.map((extension) => `program.${extension}`);
    for (const file of files) writeFileSync(join(cwd, file), program);
    const options = ['--strict', '--target', 'es2022', '--module', module];
    const args = [...options, '--moduleResolution', moduleResolution, ...files];
    await run(compilers[version], args, { cwd });
    for (const file of files) {
      const { stdout } = await run(process.execPath, [file.replace('ts', 'js')], { cwd });
      expect(stdout).toBe('no_answer unknown\n');
    }
  },
);

test('a program does not end while it waits for a fetch that never ends', async () => {
  writeFileSync(
    join(folder, 'waits.mjs'),
    `import { paymentsClient } from 'workforce-payments-client';
const fetch = () => new Promise(() => {});
const client = paymentsClient({ baseUrl: 'http://127.0.0.1:1', token: 'token', tryForS: 0.1, fetch });
console.log(await client.resendOffer('ofr_1').catch(({ code }) => code));
`,
  );
  const { stdout } = await run(process.execPath, ['waits.mjs'], { cwd: folder });
  expect(stdout).toBe('no_answer\n');
});

test.each(samples)(
  'a sample runs in a project that has installed the client: $name',
  async ({ name, code }) => {
    const { workspace, token, manager } = await newTenant();
    await newSandboxes(workspace, 1);
    const [request, sent, draft] = [
      await newPaymentRequest(workspace),
      await newOffer(workspace),
      await newOffer(workspace, { status: 'draft' }),
    ];
    const replaced = [
      [sampleUrl, stack.url],
      ['http://127.0.0.1:3000', stack.url],
      [sampleToken, token],
      [demo.tokens.live, token],
      [demo.managers.live[0], manager],
      [demo.payment_requests.pending, request.id],
      [demo.offers.sent, sent.id],
      [demo.offers.draft, draft.id],
    ] as const;
    const program = replaced.reduce((text, [shown, real]) => text.replaceAll(shown, real), code);
    writeFileSync(join(folder, `${name}.mts`), program);
    const { stdout } = await run(process.execPath, [`${name}.mts`], { cwd: folder });
    expect(stdout).toMatch(/\{[^}]+\}/);
  },
);
