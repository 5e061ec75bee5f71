import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { findBreaks } from '../../bin/openapi/find-breaks.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes.
type Document = any;
const contract = (): Document => JSON.parse(readFileSync('openapi.json', 'utf8'));
const changed = (change: (document: Document) => unknown): Document => {
  const document = contract();
  change(document);
  return document;
};

test.each<[string, RegExp, (document: Document) => unknown]>([
  [
    'a removed operation',
    /POST \/v1\/sandboxes.*Removed/,
    ({ paths }) => delete paths['/v1/sandboxes'].post,
  ],
  [
    'a removed member',
    /Sandboxes|sandboxes.*`name`/,
    ({ components }) => delete components.schemas.Sandbox.properties.name,
  ],
  [
    'a member that may be missing',
    /required status from `updated`/,
    ({ components }) => components.schemas.Sandbox.required.pop(),
  ],
  [
    'a new required member',
    /required status to `extra`/,
    ({ components: { schemas } }) => {
      schemas.CreateSandbox.properties.extra = { type: 'string' };
      schemas.CreateSandbox.required.push('extra');
    },
  ],
  [
    'a required parameter',
    /query parameter `limit`/,
    ({ paths }) => {
      paths['/v1/sandboxes'].get.parameters[0].required = true;
    },
  ],
  [
    'a smaller maximum',
    /maximum validator/,
    ({ paths }) => {
      paths['/v1/sandboxes'].get.parameters[0].schema.maximum = 50;
    },
  ],
  [
    'a removed status',
    /Removed\] Response 201/,
    ({ paths }) => delete paths['/v1/sandboxes'].post.responses[201],
  ],
])('%s is a break, and named', (_, named, change) => {
  expect(findBreaks(contract(), changed(change)).join('\n')).toMatch(named);
});

test.each<[string, (document: Document) => unknown]>([
  ['nothing', () => {}],
  [
    'a new member of an answer',
    ({ components }) => {
      components.schemas.Sandbox.properties.extra = { type: 'string' };
    },
  ],
  [
    'a new optional member of a body',
    ({ components }) => {
      components.schemas.CreateSandbox.properties.extra = { type: 'string' };
    },
  ],
  [
    'a new optional parameter',
    ({ paths }) =>
      paths['/v1/sandboxes'].get.parameters.push({
        name: 'q',
        in: 'query',
        schema: { type: 'string' },
      }),
  ],
  ['a new code', ({ components }) => components.schemas.Problem.properties.code.enum.push('more')],
  [
    'a new path',
    ({ paths }) => {
      paths['/v1/more'] = { get: { responses: { 200: { description: 'More.' } } } };
    },
  ],
  [
    'other words and examples',
    ({ info, components }) => {
      info.description = 'Other words.';
      components.parameters.IdempotencyKey.example = 'other';
    },
  ],
])('%s is compatible', (_, change) => {
  expect(findBreaks(contract(), changed(change))).toEqual([]);
});

test('the command fails on a break, asks for the changelog, and says when it cannot compare', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'compatible-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.t', ...words], {
      cwd: folder,
      stdio: 'ignore',
    });
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
  const run = () =>
    promisify(execFile)(process.execPath, [resolve('bin/compatible.ts')], { cwd: folder })
      .catch((error: { stderr: string }) => error.stderr)
      .then((said) => (typeof said === 'string' ? said : said.stdout));
  copyFileSync('openapi.json', join(folder, 'openapi.json'));
  write('CHANGELOG.md', 'one');
  git('init', '-b', 'other');
  git('add', '.');
  git('commit', '-m', 'one');

  expect(await run()).toContain('Nothing to compare with');

  git('tag', 'v1.0.0');
  expect(await run()).toBe('openapi.json is compatible with that of v1.0.0.\n');

  write(
    'openapi.json',
    JSON.stringify(
      changed(({ info }) => {
        info.title = 'Other';
      }),
    ),
  );
  expect(await run()).toContain('describe the change in CHANGELOG.md');
  write('CHANGELOG.md', 'two');
  expect(await run()).toContain('is compatible');

  write('openapi.json', JSON.stringify(changed(({ paths }) => delete paths['/v1/sandboxes'].get)));
  expect(await run()).toMatch(
    /These changes since v1.0.0 break clients of \/v1:\n {2}GET \/v1\/sandboxes/,
  );
});
