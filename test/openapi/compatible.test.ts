import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkCompatibility } from '../../bin/openapi/check-compatibility.ts';
import { findBreaks } from '../../bin/openapi/find-breaks.ts';
import { newest } from '../releases/release.ts';
import { warnOfSkipping } from '../support/skipping.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes.
type Document = any;
const contract = (): Document => JSON.parse(readFileSync('openapi.json', 'utf8'));
const changed = (change: (document: Document) => unknown): Document => {
  const document = contract();
  change(document);
  return document;
};
/** The parts that the tables change. */
const list = ({ paths }: Document) => paths['/v1/sandboxes'].get;
const create = ({ paths }: Document) => paths['/v1/sandboxes'].post;
const limit = (document: Document) => list(document).parameters[0].schema;
const members = ({ components }: Document, schema: string) => components.schemas[schema].properties;
const approvalOf = (document: Document) =>
  members(document, 'PaymentRequestEvent').data.properties.approval;
const body = 'POST /v1/sandboxes: body: application/json';
const approveBody = 'POST /v1/payment-requests/{id}/approve: body: application/json';
const created = 'POST /v1/sandboxes: 201: application/json';
const event = 'Webhook sandboxChanged: application/json';
const approved = 'Webhook paymentRequestApproved: application/json: data: approval';

test.each<[string, (document: Document) => unknown, string]>([
  [
    'an operation',
    ({ paths }) => delete paths['/v1/sandboxes'].post,
    'POST /v1/sandboxes is gone.',
  ],
  ['a path', ({ paths }) => delete paths['/v1/sandboxes'], 'GET /v1/sandboxes is gone.'],
  [
    'the name of an operation',
    (document) => {
      create(document).operationId = 'makeSandbox';
    },
    'POST /v1/sandboxes has another operationId.',
  ],
  [
    'the scope of an operation',
    (document) => {
      create(document).security = [{ accessToken: ['sandboxes:all'] }];
    },
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
    (document) => list(document).parameters.pop(),
    'GET /v1/sandboxes: parameter query ending_before is gone.',
  ],
  [
    'the header Idempotency-Key',
    (document) => {
      create(document).parameters = [];
    },
    'POST /v1/sandboxes: parameter header Idempotency-Key is gone.',
  ],
  [
    'the choice to leave a parameter out',
    (document) => {
      list(document).parameters[0].required = true;
    },
    'GET /v1/sandboxes requires the parameter query limit.',
  ],
  [
    'the type of a parameter',
    (document) => {
      limit(document).type = 'string';
    },
    'GET /v1/sandboxes: parameter query limit has another type.',
  ],
  [
    'the default of a parameter',
    (document) => {
      limit(document).default = 20;
    },
    'GET /v1/sandboxes: parameter query limit has another default.',
  ],
  [
    'some values of a parameter',
    (document) => {
      limit(document).maximum = 50;
    },
    'GET /v1/sandboxes: parameter query limit has a tighter maximum.',
  ],
  [
    'all but listed values of a parameter',
    (document) => {
      limit(document).enum = [10, 100];
    },
    'GET /v1/sandboxes: parameter query limit has another set of values.',
  ],
  [
    'the JSON of a body',
    (document) => {
      create(document).requestBody.content = {};
    },
    `${body} is gone.`,
  ],
  [
    'an optional member of a body',
    (document) => delete members(document, 'ApprovePaymentRequest').reason,
    `${approveBody}: reason is gone.`,
  ],
  [
    'the choice to leave a member out',
    ({ components }) => components.schemas.ApprovePaymentRequest.required.push('reason'),
    `${approveBody} requires reason.`,
  ],
  [
    'the type of a member of a body',
    (document) => {
      members(document, 'CreateSandbox').name.type = 'integer';
    },
    `${body}: name has another type.`,
  ],
  [
    'long values of a body',
    (document) => {
      members(document, 'CreateSandbox').name.maxLength = 100;
    },
    `${body}: name has a tighter maxLength.`,
  ],
  [
    'values of a body without a form',
    (document) => {
      members(document, 'CreateSandbox').name.format = 'email';
    },
    `${body}: name has another format.`,
  ],
  [
    'a success',
    (document) => delete create(document).responses[201],
    'POST /v1/sandboxes: 201 is gone.',
  ],
  [
    'an error status',
    (document) => delete create(document).responses[409],
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
    (document) => delete members(document, 'Problem').request_id,
    'GET /v1/sandboxes: 400: application/problem+json: request_id is gone.',
  ],
  [
    'the header of an answer',
    (document) => delete create(document).responses[201].headers['Request-Id'],
    'POST /v1/sandboxes: 201: header Request-Id is gone.',
  ],
  [
    'a member of an answer',
    (document) => delete members(document, 'Sandbox').name,
    `${created}: name is gone.`,
  ],
  [
    'the presence of a member of an answer',
    ({ components }) => components.schemas.Sandbox.required.pop(),
    `${created} may lack updated.`,
  ],
  [
    'the type of a member of an answer',
    (document) => {
      members(document, 'Sandbox').name.type = 'integer';
    },
    `${created}: name has another type.`,
  ],
  [
    'a member of an answer that was never null',
    (document) => {
      members(document, 'Sandbox').name.type = ['string', 'null'];
    },
    `${created}: name has another type.`,
  ],
  [
    'a status in answers',
    (document) => members(document, 'Sandbox').status.enum.pop(),
    `${created}: status has no "ready" any more.`,
  ],
  [
    'the form of an id in answers',
    (document) => {
      members(document, 'Sandbox').id.pattern = '^box_';
    },
    `${created}: id has another pattern.`,
  ],
  [
    'a webhook',
    ({ webhooks }) => delete webhooks.sandboxChanged,
    'Webhook sandboxChanged is gone.',
  ],
  [
    'a member of an event',
    (document) => delete members(document, 'SandboxEvent').actor,
    `${event}: actor is gone.`,
  ],
  [
    'a nested member of an event',
    (document) => delete approvalOf(document).properties.reason,
    `${approved}: reason is gone.`,
  ],
  [
    'the presence of a nested member of an event',
    (document) => approvalOf(document).required.pop(),
    `${approved} may lack created.`,
  ],
  [
    'the type of a member of an event',
    (document) => {
      members(document, 'SandboxEvent').time.type = 'integer';
    },
    `${event}: time has another type.`,
  ],
  [
    'the type of the elements of an event',
    (document) => {
      members(document, 'RedactionEvent').data.properties.ids.items.anyOf[0].type = 'integer';
    },
    'Webhook personalDataRedacted: application/json: data: ids[]: alternative 0 has another type.',
  ],
  [
    'a type of event',
    (document) => members(document, 'SandboxEvent').type.enum.pop(),
    `${event}: type has no "sandbox.ready" any more.`,
  ],
  [
    'the elements of an event',
    (document) => delete members(document, 'RedactionEvent').data.properties.ids.items,
    'Webhook personalDataRedacted: application/json: data: ids has other elements.',
  ],
  [
    'the access token',
    ({ components }) => delete components.securitySchemes.accessToken,
    'The security scheme accessToken is gone.',
  ],
  [
    'the form of access tokens',
    ({ components }) => {
      components.securitySchemes.accessToken.scheme = 'basic';
    },
    'The security scheme accessToken has changed.',
  ],
  [
    'the version of an event',
    (document) => {
      members(document, 'SandboxEvent').version.const = 2;
    },
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
  [
    'a new optional member of a body',
    (document) => {
      members(document, 'CreateSandbox').extra = { type: 'string' };
    },
  ],
  [
    'longer values of a body',
    (document) => {
      members(document, 'CreateSandbox').name.maxLength = 1000;
    },
  ],
  [
    'a new optional parameter',
    (document) =>
      list(document).parameters.push({ name: 'q', in: 'query', schema: { type: 'string' } }),
  ],
  ['a new code', (document) => members(document, 'Problem').code.enum.push('more')],
  ['a new type of event', (document) => members(document, 'SandboxEvent').type.enum.push('more')],
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
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/compatible.ts']);
  expect([status, `${stdout}${stderr}`]).toEqual([
    0,
    `openapi.json is compatible with ${newest()}.\n`,
  ]);
});
