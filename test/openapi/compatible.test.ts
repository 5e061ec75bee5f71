import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { newest } from '../releases/kept-releases.ts';
import { warnOfSkipping } from '../support/skipping.ts';
import { checkCompatibility } from './check-compatibility.ts';
import { findBreaks } from './find-breaks.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes.
type Document = any;
const contract = (): Document => JSON.parse(readFileSync('openapi.json', 'utf8'));
const changed = (change: (document: Document) => unknown): Document => {
  const document = contract();
  change(document);
  return document;
};
/** The parts that the tables change. */
const paths = ({ paths }: Document) => paths;
const list = (document: Document) => paths(document)['/v1/sandboxes'].get;
const create = (document: Document) => paths(document)['/v1/sandboxes'].post;
const limit = (document: Document) => list(document).parameters[0].schema;
const schemas = ({ components }: Document) => components.schemas;
const members = (schema: string) => (document: Document) => schemas(document)[schema].properties;
const member = (schema: string, name: string) => (document: Document) =>
  members(schema)(document)[name];

type Part = (document: Document) => Document;
/** What changes a part of a document. */
const set = (part: Part, name: string, value: unknown) => (document: Document) => {
  part(document)[name] = value;
};

/** Words, and what is of no use to a client's code. */
const unread = /^(description|summary|title|examples?|links|tags|info|servers|openapi|x-.*)$/;

const pruned = (part: Document, key = ''): Document =>
  typeof part !== 'object' || part === null
    ? part
    : Array.isArray(part)
      ? part.map((each) => pruned(each))
      : Object.fromEntries(
          Object.entries(part)
            .filter(([name]) => key === 'properties' || !unread.test(name))
            // What is not required may as well not say so.
            .filter(([name, value]) => name !== 'required' || value !== false)
            .map(([name, value]) => [name, pruned(value, name)]),
        );

/** Each node by the keys that lead to it. */
const nodesOf = (part: Document, at: readonly string[] = []): (readonly string[])[] =>
  typeof part !== 'object' || part === null
    ? []
    : Object.keys(part).flatMap((key) => [[...at, key], ...nodesOf(part[key], [...at, key])]);

const without = (document: Document, keys: readonly string[]): Document => {
  const copy = structuredClone(document);
  const parent = keys.slice(0, -1).reduce((part, key) => part[key], copy);
  const key = keys.at(-1) ?? '';
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
  return copy;
};

/** Schemas that clients send, and those of parameters and bodies. */
const sent =
  /^paths .* (parameters|requestBody) |^components (schemas (Approve|Create)|parameters )/;
const restriction = / (pattern|format|enum|required|additionalProperties|(min|max)[A-Z]?[a-z]+)$/;

/** Removals that take nothing away, by the keys that lead to the node. */
const harmless: readonly RegExp[] = [
  // Without its target a reference leads nowhere: Redocly's rules find that.
  /^components$|^components (schemas|parameters|headers)( \w+)?$/,
  // Each answer lays its own status and code over these, and these over its own.
  /^components schemas Problem (type$|properties (status|code))/,
  / responses \d+ .* allOf 1( |$)/,
  // The service sends webhooks; nothing of its own answers them.
  /^webhooks \w+ post (responses|operationId|security|requestBody required)/,
  / (additionalProperties|(min|max)(imum|Items|Length))$/,
];

const isHarmless = (keys: string): boolean =>
  harmless.some((pattern) => pattern.test(keys)) ||
  (sent.test(keys) && (restriction.test(keys) || / required \d+$/.test(keys)));

describe('one node of openapi.json at a time', () => {
  const document = pruned(contract());
  // All operations have the same problems: those of one are enough.
  const repeated = /^paths (?!\/v1\/sandboxes post).* responses [45]\d\d ./;
  const nodes = nodesOf(document)
    .map((keys) => ({ keys, name: keys.join(' ') }))
    .filter(({ name }) => !repeated.test(name));

  test('each whose removal takes something from a client is named', () => {
    const silent = nodes
      .filter(({ name }) => !isHarmless(name))
      .filter(({ keys }) => findBreaks(document, without(document, keys)).length === 0);
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  test('each whose addition restricts what a client sends is named', () => {
    const restricting = nodes.filter(
      ({ name }) => sent.test(name) && (restriction.test(name) || / required \d+$/.test(name)),
    );
    expect(restricting.length).toBeGreaterThan(20);
    const silent = restricting.filter(
      ({ keys }) => findBreaks(without(document, keys), document).length === 0,
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
  });
});

const created = 'POST /v1/sandboxes: 201: application/json';

test.each<[string, (document: Document) => unknown, string]>([
  [
    'the name of a schema',
    ({ components: { schemas }, webhooks }) => {
      schemas.Redaction = schemas.RedactionEvent;
      delete schemas.RedactionEvent;
      const { content } = webhooks.personalDataRedacted.post.requestBody;
      content['application/json'].schema.$ref = '#/components/schemas/Redaction';
    },
    'The schema RedactionEvent is gone.',
  ],
  [
    'some values of a parameter',
    set(limit, 'maximum', 50),
    'GET /v1/sandboxes: parameter query limit has a tighter maximum.',
  ],
  [
    'all but listed values of a parameter',
    set(limit, 'enum', [10, 100]),
    'GET /v1/sandboxes: parameter query limit has another set of values.',
  ],
  [
    'the code of an error',
    (document) =>
      create(document).responses[403].content[
        'application/problem+json'
      ].schema.allOf[1].properties.code.enum.shift(),
    'POST /v1/sandboxes: 403: application/problem+json: code has no "insufficient_scope" any more.',
  ],
  [
    'a member of an answer that was never null',
    set(member('Sandbox', 'name'), 'type', ['string', 'null']),
    `${created}: name has another type.`,
  ],
])('losing %s is a break, and named', (_, change, sentence) => {
  expect(findBreaks(contract(), changed(change))).toContain(sentence);
});

test.each<[string, (document: Document) => unknown]>([
  ['nothing', () => {}],
  [
    'a new member of an answer and an event',
    ({ components: { schemas } }) => {
      schemas.Sandbox.properties.extra = { type: 'string' };
      schemas.Sandbox.required.push('extra');
    },
  ],
  ['a new optional member of a body', set(members('CreateSandbox'), 'extra', { type: 'string' })],
  ['longer values of a body', set(member('CreateSandbox', 'name'), 'maxLength', 1000)],
  [
    'a new optional parameter',
    (document) =>
      list(document).parameters.push({ name: 'q', in: 'query', schema: { type: 'string' } }),
  ],
  ['a new code', (document) => member('Problem', 'code')(document).enum.push('more')],
  ['a new type of event', (document) => member('SandboxEvent', 'type')(document).enum.push('more')],
  [
    'a new path, and a new webhook',
    ({ paths, webhooks }) => {
      paths['/v1/more'] = { get: { responses: { 200: { description: 'More.' } } } };
      webhooks.more = { post: {} };
    },
  ],
  [
    'other words and examples',
    ({ info, components }) => {
      info.description = 'Other words.';
      components.parameters.IdempotencyKey.example = 'other';
      components.securitySchemes.accessToken.description = 'Other words.';
    },
  ],
])('%s is compatible', (_, change) => {
  expect(findBreaks(contract(), changed(change))).toEqual([]);
});

describe('the check', () => {
  const frozen = readFileSync('openapi.json', 'utf8');
  const first = '## [1.0.0] - 2026-11-24\n\nThe first.\n';
  const check = (document: Document, above = '') =>
    checkCompatibility({
      release: '1.0.0',
      frozen,
      document: typeof document === 'string' ? document : JSON.stringify(document),
      changelog: `# Changelog\n\n${above}${first}`,
    });

  test('finds nothing where nothing has changed', () => {
    expect(check(frozen)).toEqual([]);
  });

  test('requires an entry in the changelog', () => {
    const other = changed(({ info }) => {
      info.title = 'Other';
    });
    expect(check(other)).toEqual([
      'openapi.json has changed since 1.0.0: describe the change in CHANGELOG.md.',
    ]);
    expect(check(other, '## [Unreleased]\n\n')).toHaveLength(1);
    expect(check(other, '## [Unreleased]\n\n### Changed\n\n- Other.\n\n')).toEqual([]);
  });

  test('accepts a break only where the changelog lists it under Security', () => {
    const found = 'GET /v1/sandboxes is gone.';
    const broken = changed(({ paths }) => delete paths['/v1/sandboxes'].get);
    const under = (heading: string, words: string) =>
      check(broken, `## [Unreleased]\n\n### ${heading}\n\n- ${words}\n\n### Fixed\n\n- More.\n\n`);
    expect(check(broken)).toContain(found);
    expect(under('Removed', found)).toEqual([found]);
    expect(under('Security', 'A hole.')).toEqual([found]);
    expect(under('Security', found.replace(' is', '\n  is'))).toEqual([]);
  });

  test('fails where the changelog does not name the release', () => {
    const changelog = '# Changelog\n';
    expect(checkCompatibility({ release: '1.0.0', frozen, document: frozen, changelog })).toEqual([
      'CHANGELOG.md has no section [1.0.0].',
    ]);
  });
});

warnOfSkipping('npm run compatible is', newest() ? undefined : 'There is no release yet.');
test.skipIf(!newest())('openapi.json is compatible with the newest release', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/openapi/compatible.ts']);
  expect([status, `${stdout}${stderr}`]).toEqual([
    0,
    `openapi.json is compatible with ${newest()}.\n`,
  ]);
});
