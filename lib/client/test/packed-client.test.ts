import { execFile } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { demo } from '../../../functions/contract/demo.ts';
import { contract } from '../../../test/support/contract.ts';
import { stack } from '../../../test/support/running-stack.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import {
  newOffer,
  newPaymentRequest,
  newSandboxes,
  newTenant,
} from '../../../test/support/tenants.ts';
import type { OperationObject } from '../../openapi/document.ts';
import { documentationTags } from '../../openapi/guides.ts';
import { installClient, sampleToken, sampleUrl } from '../../openapi/samples.ts';

const run = promisify(execFile);
/** An empty project, into which the packed client is installed. */
const folder = temporaryDirectory();

beforeAll(async () => {
  const [inClone = '', inProject = ''] = installClient
    .replaceAll('/tmp', `'${folder}'`)
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
  'lib/client/README.md': programsIn(readFileSync('lib/client/README.md', 'utf8')),
}).flatMap(([place, programs]) =>
  programs.map((code, index) => ({ name: `${place.replaceAll(/\W/g, '-')}-${index}`, code })),
);

test('every TypeScript sample compiles with the types of the client', async () => {
  const files = samples.map(({ name, code }) => ({ file: `${name}.mts`, code }));
  for (const { file, code } of files) writeFileSync(join(folder, file), code);
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2021'];
  const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')];
  const args = [...options, ...types, ...files.map(({ file }) => file)];
  await run(resolve('node_modules/.bin/tsc'), args, { cwd: folder });
});

test('every way of resolving modules finds the package and its types', async () => {
  // `require` of an ES module is what Node.js does since 22.12.
  const ignored = ['cjs-resolves-to-esm', 'false-cjs'];
  const [packed = ''] = globSync('*.tgz', { cwd: folder });
  await run(resolve('node_modules/.bin/attw'), [packed, '--ignore-rules', ...ignored], {
    cwd: folder,
  });
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
