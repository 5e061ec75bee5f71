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
const accessToken = ({ components }: Document) => components.securitySchemes.accessToken;
const approvalOf = (document: Document) =>
  member('PaymentRequestEvent', 'data')(document).properties.approval;
const idsOf = (document: Document) => member('RedactionEvent', 'data')(document).properties.ids;

type Part = (document: Document) => Document;
/** What changes a part of a document. */
const set = (part: Part, name: string, value: unknown) => (document: Document) => {
  part(document)[name] = value;
};
const drop = (part: Part, name: string | number) => (document: Document) =>
  delete part(document)[name];
const pop = (part: Part) => (document: Document) => part(document).pop();

const body = 'POST /v1/sandboxes: body: application/json';
const approveBody = 'POST /v1/payment-requests/{id}/approve: body: application/json';
const created = 'POST /v1/sandboxes: 201: application/json';
const event = 'Webhook sandboxChanged: application/json';
const approved = 'Webhook paymentRequestApproved: application/json: data: approval';
const ids = 'Webhook personalDataRedacted: application/json: data: ids';

test.each<[string, (document: Document) => unknown, string]>([
  [
    'an operation',
    drop((document) => paths(document)['/v1/sandboxes'], 'post'),
    'POST /v1/sandboxes is gone.',
  ],
  ['a path', drop(paths, '/v1/sandboxes'), 'GET /v1/sandboxes is gone.'],
  [
    'the name of an operation',
    set(create, 'operationId', 'makeSandbox'),
    'POST /v1/sandboxes has another operationId.',
  ],
  [
    'the scope of an operation',
    set(create, 'security', [{ accessToken: ['sandboxes:all'] }]),
    'POST /v1/sandboxes has another security.',
  ],
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
    'a parameter',
    pop((document) => list(document).parameters),
    'GET /v1/sandboxes: parameter query ending_before is gone.',
  ],
  [
    'the header Idempotency-Key',
    set(create, 'parameters', []),
    'POST /v1/sandboxes: parameter header Idempotency-Key is gone.',
  ],
  [
    'the choice to leave a parameter out',
    set((document) => list(document).parameters[0], 'required', true),
    'GET /v1/sandboxes requires the parameter query limit.',
  ],
  [
    'the type of a parameter',
    set(limit, 'type', 'string'),
    'GET /v1/sandboxes: parameter query limit has another type.',
  ],
  [
    'the default of a parameter',
    set(limit, 'default', 20),
    'GET /v1/sandboxes: parameter query limit has another default.',
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
    'the JSON of a body',
    set((document) => create(document).requestBody, 'content', {}),
    `${body} is gone.`,
  ],
  [
    'an optional member of a body',
    drop(members('ApprovePaymentRequest'), 'reason'),
    `${approveBody}: reason is gone.`,
  ],
  [
    'the choice to leave a member out',
    (document) => schemas(document).ApprovePaymentRequest.required.push('reason'),
    `${approveBody} requires reason.`,
  ],
  [
    'the type of a member of a body',
    set(member('CreateSandbox', 'name'), 'type', 'integer'),
    `${body}: name has another type.`,
  ],
  [
    'long values of a body',
    set(member('CreateSandbox', 'name'), 'maxLength', 100),
    `${body}: name has a tighter maxLength.`,
  ],
  [
    'values of a body without a form',
    set(member('CreateSandbox', 'name'), 'format', 'email'),
    `${body}: name has another format.`,
  ],
  [
    'a success',
    drop((document) => create(document).responses, 201),
    'POST /v1/sandboxes: 201 is gone.',
  ],
  [
    'an error status',
    drop((document) => create(document).responses, 409),
    'POST /v1/sandboxes: 409 is gone.',
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
    'a member of problems',
    drop(members('Problem'), 'request_id'),
    'GET /v1/sandboxes: 400: application/problem+json: request_id is gone.',
  ],
  [
    'the header of an answer',
    drop((document) => create(document).responses[201].headers, 'Request-Id'),
    'POST /v1/sandboxes: 201: header Request-Id is gone.',
  ],
  ['a member of an answer', drop(members('Sandbox'), 'name'), `${created}: name is gone.`],
  [
    'the presence of a member of an answer',
    pop((document) => schemas(document).Sandbox.required),
    `${created} may lack updated.`,
  ],
  [
    'the type of a member of an answer',
    set(member('Sandbox', 'name'), 'type', 'integer'),
    `${created}: name has another type.`,
  ],
  [
    'a member of an answer that was never null',
    set(member('Sandbox', 'name'), 'type', ['string', 'null']),
    `${created}: name has another type.`,
  ],
  [
    'a status in answers',
    pop((document) => member('Sandbox', 'status')(document).enum),
    `${created}: status has no "ready" any more.`,
  ],
  [
    'the form of an id in answers',
    set(member('Sandbox', 'id'), 'pattern', '^box_'),
    `${created}: id has another pattern.`,
  ],
  [
    'a webhook',
    drop(({ webhooks }) => webhooks, 'sandboxChanged'),
    'Webhook sandboxChanged is gone.',
  ],
  ['a member of an event', drop(members('SandboxEvent'), 'actor'), `${event}: actor is gone.`],
  [
    'a nested member of an event',
    drop((document) => approvalOf(document).properties, 'reason'),
    `${approved}: reason is gone.`,
  ],
  [
    'the presence of a nested member of an event',
    pop((document) => approvalOf(document).required),
    `${approved} may lack created.`,
  ],
  [
    'the type of a member of an event',
    set(member('SandboxEvent', 'time'), 'type', 'integer'),
    `${event}: time has another type.`,
  ],
  [
    'the type of the elements of an event',
    set((document) => idsOf(document).items.anyOf[0], 'type', 'integer'),
    `${ids}[]: alternative 0 has another type.`,
  ],
  [
    'a type of event',
    pop((document) => member('SandboxEvent', 'type')(document).enum),
    `${event}: type has no "sandbox.ready" any more.`,
  ],
  ['the elements of an event', drop(idsOf, 'items'), `${ids} has other elements.`],
  [
    'the access token',
    drop(({ components }) => components.securitySchemes, 'accessToken'),
    'The security scheme accessToken is gone.',
  ],
  [
    'the form of access tokens',
    set(accessToken, 'scheme', 'basic'),
    'The security scheme accessToken has changed.',
  ],
  [
    'the version of an event',
    set(member('SandboxEvent', 'version'), 'const', 2),
    `${event}: version has no 1 any more.`,
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
