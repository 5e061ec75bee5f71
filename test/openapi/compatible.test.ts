import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findBreaks } from '../../bin/openapi/find-breaks.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes.
type Document = any;
const contract = (): Document => JSON.parse(readFileSync('openapi.json', 'utf8'));
const changed = (change: (document: Document) => unknown): Document => {
  const document = contract();
  change(document);
  return document;
};

test.each<[string, (document: Document) => unknown, string[]]>([
  [
    'a removed operation',
    ({ paths }) => delete paths['/v1/sandboxes'].post,
    ['POST /v1/sandboxes: [Removed] operation POST /v1/sandboxes'],
  ],
  [
    'a removed member',
    ({ components }) => delete components.schemas.Sandbox.properties.name,
    [
      'POST /v1/sandboxes: [Removed] property `name` in Response 201 content (application/json) (responses/201/content/application/json/schema/properties/name)',
      'GET /v1/sandboxes: [Removed]  from `sandboxes[].name` in Response 200 content (application/json) (responses/200/content/application/json/schema/properties/sandboxes/items/properties/name)',
    ],
  ],
  [
    'a member that may be missing',
    ({ components }) => components.schemas.Sandbox.required.pop(),
    [
      'POST /v1/sandboxes: [Removed] required status from `updated` in Response 201 content (application/json) (responses/201/content/application/json/schema/required/6)',
      'GET /v1/sandboxes: [remove] in Response 200 content (application/json) (responses/200/content/application/json/schema/properties/sandboxes/items/required/6)',
    ],
  ],
  [
    'a new required member',
    ({ components: { schemas } }) => {
      schemas.CreateSandbox.properties.extra = { type: 'string' };
      schemas.CreateSandbox.required.push('extra');
    },
    [
      'POST /v1/sandboxes: [Added] required status to `extra` in Request Body content (application/json) (requestBody/content/application/json/schema/required/1)',
      'POST /v1/sandboxes: [Added] property `extra` in Request Body content (application/json) (requestBody/content/application/json/schema/properties/extra)',
    ],
  ],
  [
    'a required parameter',
    ({ paths }) => {
      paths['/v1/sandboxes'].get.parameters[0].required = true;
    },
    [
      'GET /v1/sandboxes: [Added] required status to required query parameter `limit` (parameters/0/required)',
    ],
  ],
  [
    'a smaller maximum',
    ({ paths }) => {
      paths['/v1/sandboxes'].get.parameters[0].schema.maximum = 50;
    },
    [
      'GET /v1/sandboxes: [Replaced] maximum validator in query parameter `limit` (parameters/0/schema/maximum)',
    ],
  ],
  [
    'a removed status',
    ({ paths }) => delete paths['/v1/sandboxes'].post.responses[201],
    ['POST /v1/sandboxes: [Removed] Response 201 (responses/201)'],
  ],
])('%s is a break, and named', (_, change, sentences) => {
  expect(findBreaks(contract(), changed(change))).toEqual(sentences);
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

describe('the command', () => {
  /** A repository of the document and a changelog, with its first commit. */
  const newRepository = () => {
    const folder = temporaryDirectory();
    const git = (...words: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.t', ...words], {
        cwd: folder,
        stdio: 'ignore',
      });
    const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
    copyFileSync('openapi.json', join(folder, 'openapi.json'));
    write('CHANGELOG.md', '# Changelog\n\n## 1.0.0\n\nThe first.\n');
    git('init', '-b', 'other');
    git('add', '.');
    git('commit', '-m', 'one');
    return {
      write,
      writeChanged: (change: (document: Document) => unknown) =>
        write('openapi.json', JSON.stringify(changed(change))),
      release: () => git('tag', 'v1.0.0'),
      run: () => {
        const command = [resolve('bin/compatible.ts')];
        const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: folder });
        return [status, `${stdout}${stderr}`];
      },
    };
  };
  const compatible = [0, 'openapi.json is compatible with that of v1.0.0.\n'];

  test('says when there is nothing to compare with', () => {
    const { release, run } = newRepository();
    expect(run()).toEqual([
      0,
      'Nothing to compare with: this clone has no release tag, no main and no earlier commit. Fetch more of the history (git fetch --tags --unshallow).\n',
    ]);
    release();
    expect(run()).toEqual(compatible);
  });

  test('requires an entry in the changelog', () => {
    const { write, writeChanged, release, run } = newRepository();
    release();
    writeChanged(({ info }) => {
      info.title = 'Other';
    });
    expect(run()).toEqual([
      1,
      'openapi.json has changed since v1.0.0: describe the change in CHANGELOG.md.\n',
    ]);
    write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\nOther.\n\n## 1.0.0\n\nThe first.\n');
    expect(run()).toEqual(compatible);
  });

  test('fails on a break, unless the newest version in the changelog lists it', () => {
    const { write, writeChanged, release, run } = newRepository();
    release();
    const found = 'GET /v1/sandboxes: [Removed] operation GET /v1/sandboxes';
    const failure = [1, `These changes since v1.0.0 break clients of /v1:\n  ${found}\n`];
    writeChanged(({ paths }) => delete paths['/v1/sandboxes'].get);
    expect(run()).toEqual(failure);

    write('CHANGELOG.md', `# Changelog\n\n## Unreleased\n\nOther.\n\n## 1.0.0\n\n- ${found}\n`);
    expect(run()).toEqual(failure);

    const wrapped = found.replace('[Removed] ', '[Removed]\n  ');
    write('CHANGELOG.md', `# Changelog\n\n## Unreleased\n\n- ${wrapped}\n\n## 1.0.0\n`);
    expect(run()).toEqual(compatible);
  });
});
