import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entityTags } from '../../../functions/domain/entity-tags.ts';
import { lossesIn } from '../../../functions/domain/exact-json.ts';
import { bareKey, idempotencyKeyPattern } from '../../../functions/domain/idempotency-key.ts';
import { ApprovePaymentRequest } from '../../../functions/domain/payment-request.ts';
import { RecordMessage } from '../../../functions/domain/record.ts';
import { CreateSandbox, ListSandboxes } from '../../../functions/domain/sandbox.ts';
import {
  anyRecordMessage,
  character,
  controlCharacter,
  invisibleCharacter,
  plainText,
} from '../../../test/support/arbitraries.ts';
import { contract, failures } from '../../../test/support/contract.ts';
import { clientTypes } from '../client-types/client-types.ts';
import { openapiDocument } from '../document.ts';
import { operationIds, operations } from '../operations.ts';
import { portable } from '../portable-patterns.ts';
import { recordSchema } from '../record-schema.ts';
import { describeSchema } from '../schemas.ts';
import { eventSchemas } from '../webhooks.ts';
import { accepted, refused, refusedByMost, refusedByService } from './record-samples.ts';

const committed = (path: string) =>
  readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');

test('a member without a description is named, with the file in which it belongs', () => {
  const objects = operationIds.flatMap((id) => [
    operations[id].response,
    operations[id].body ?? [],
  ]);
  const places = new Map(
    [...objects.flat(), ...eventSchemas].map((described) => {
      const lacking = { ...described, descriptions: { '': 'Said.' } };
      const undescribed = { properties: { new_member: {} } };
      const error = () => describeSchema(undescribed, lacking);
      const start = `The member \`new_member\` of ${described.name} has no description. Write it in `;
      expect(error).toThrow(start);
      expect(error).toThrow(/ (functions|lib\/openapi)\/\S+\.ts\.$/);
      return [described.name, error];
    }),
  );
  expect(places.get('PaymentRequest')).toThrow('functions/contract/objects.ts');
  expect(places.get('CreateSandbox')).toThrow('functions/create-sandbox.contract.ts');
  expect(places.get('PaymentRequestEvent')).toThrow('lib/openapi/webhooks.ts');
});

test('openapi.json is what `npm run openapi` writes', () => {
  expect(JSON.parse(committed('openapi.json'))).toEqual(
    JSON.parse(JSON.stringify(openapiDocument())),
  );
});

describe('record.schema.json', () => {
  test('is what `npm run openapi` writes', () => {
    expect(JSON.parse(committed('record.schema.json'))).toEqual(
      JSON.parse(JSON.stringify(recordSchema())),
    );
  });

  // Many validators ignore formats.
  const ignoring = { strict: false, validateFormats: false };
  const takes = new Ajv2020(ignoring).compile(recordSchema());

  test.each(accepted)('takes %j, and so does the service', (message) => {
    expect([takes(message), RecordMessage.safeParse(message).success]).toEqual([true, true]);
  });

  test.each([...refused, ...refusedByMost])('refuses %j, and so does the service', (message) => {
    expect([takes(message), RecordMessage.safeParse(message).success]).toEqual([false, false]);
  });

  test.each(refusedByService)('takes %j, which the service refuses', (message) => {
    expect([takes(message), RecordMessage.safeParse(message).success]).toEqual([true, false]);
  });

  test.each([
    ['Python', '(?=\\n?$)'],
    ['Java', '(?=(?:\\r\\n|[\\n\\r\\u0085\\u2028\\u2029])?$)'],
  ])('takes and refuses the same where $ is that of %s', (_, end) => {
    const regExp = (pattern: string, flags: string) =>
      new RegExp(pattern.replace(/\$$/, end), flags);
    const code = { regExp: Object.assign(regExp, { code: 'new RegExp' }) };
    const takesThere = new Ajv2020({ ...ignoring, code }).compile(recordSchema());
    expect(accepted.filter((message) => !takesThere(message))).toEqual([]);
    expect(refused.filter((message) => takesThere(message))).toEqual([]);
  });

  test('takes what the service does, and besides only what the rules in lib/RECORDS.md refuse', () => {
    const [, list = ''] =
      /accepted, but for these:\n(.*?)\n## /s.exec(committed('lib/RECORDS.md')) ?? [];
    const listed = [...list.matchAll(/`(\w+)`:/g)].map(([, code]) => code);
    const met = new Set<unknown>();
    let taken = 0;
    fc.assert(
      fc.property(anyRecordMessage, (message) => {
        const body = JSON.stringify(message);
        const { error } = RecordMessage.safeParse(JSON.parse(body));
        const codes = (error?.issues ?? []).map((issue) =>
          issue.code === 'custom' ? issue.params?.code : issue.code,
        );
        if (lossesIn(body).length > 0) codes.push('inexact');
        if (takes(JSON.parse(body))) {
          taken += 1;
          for (const code of codes) met.add(code);
          expect(listed).toEqual(expect.arrayContaining(codes));
        } else expect(codes).not.toEqual([]);
      }),
      { numRuns: 5000 },
    );
    expect(taken).toBeGreaterThan(1000);
    // Nothing is listed that the schema could say.
    expect([...met].sort()).toEqual(listed.filter((code) => code !== 'too_big').sort());
  });
});

describe('a pattern', () => {
  /** Go's compiler refuses U+FEFF in what is generated, and JavaScript's the line separators. */
  const unwritable = String.raw`\ufeff\u2028\u2029`;
  const escaped = String.raw`\\(?:[tnr]|x[\da-f]{2}|\W)`;
  const brackets = String.raw`\[\^?(?:${escaped}|[^\\[\]${unwritable}])+\]`;
  const group = String.raw`\((?:\?:|(?!\?))|\)`;
  const times = String.raw`(?:[*+?]|\{(?:\d{1,3}|1000)(?:,(?:\d{1,3}|1000)?)?\})(?![*+?{])`;
  /** No lookaround, no class by a letter, no code point by its number, and no count above Go's. */
  const readable = new RegExp(
    String.raw`^(?:${escaped}|${brackets}|${group}|${times}|[^\\[\](){}.*+?${unwritable}])*$`,
    'u',
  );

  test.each(['openapi.json', 'record.schema.json'])(
    'of %s can be read in every language',
    (file) => {
      const patterns: string[] = [];
      JSON.parse(committed(file), (name, value) => {
        if (name === 'pattern') patterns.push(value);
        return value;
      });
      expect(patterns.length).toBeGreaterThan(10);
      expect(patterns.filter((pattern) => !readable.test(pattern))).toEqual([]);
    },
  );

  test.each([
    '(?=a)',
    '(?<a>b)',
    '(a)\\1',
    '\\bx',
    '\\p{L}',
    '[\\d]',
    '\\u00e9',
    'a.b',
    'a{1001}',
    'a++',
    '[[a]]',
    '[^\u2028]',
  ])('such as %s would be found', (pattern) => {
    expect(readable.test(pattern)).toBe(false);
  });

  test.each([
    ...[
      '\\d',
      '[\\d_]',
      '\\w',
      '[^\\w-]',

      '[^\\\\]',
      '.',
      '[.]',
      '\\.',
      '\\\\d',
      '[\\]\\d]',
    ],
    ...['\\u00e9', '[\\u202a-\\u202e]', '[^\\u2066\\u005d]', '(?:\\u{1f600}|.)', '\\ud83d\\ude00'],
  ])('%s matches the same once it is portable', (pattern) => {
    const [before, after] = [pattern, portable(pattern)].map(
      (each) => new RegExp(`^${each}$`, 'u'),
    );
    const texts = fc.oneof(character, invisibleCharacter, fc.string({ maxLength: 2 }));
    fc.assert(
      fc.property(texts, (text) => {
        fc.pre(!/[\u2028\u2029]/.test(text));
        return after?.test(text) === before?.test(text);
      }),
    );
  });
});

test("the client's types are what `npm run openapi` writes", async () => {
  expect(committed('lib/client/openapi.d.ts')).toBe(await clientTypes(committed('openapi.json')));
});

describe("Redocly's recommended rules", async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const lint = async (document: object) => {
    const found = await lintFromString({ source: JSON.stringify(document), config });
    return found.map(({ severity, ruleId, message }) => `${severity} ${ruleId}: ${message}`);
  };

  test('find nothing', async () => {
    expect(await lint(JSON.parse(committed('openapi.json')))).toEqual([]);
  });

  test('would find a wrong example, an operation without a summary, and an undefined security scheme', async () => {
    const document = JSON.parse(committed('openapi.json'));
    const { get, post } = document.paths['/v1/sandboxes'];
    get.security = [{ other: [] }];
    delete post.summary;
    post.requestBody.content['application/json'].examples.created.value = { name: 1 };
    expect(await lint(document)).toEqual([
      expect.stringContaining('operation-summary'),
      ...Array(2).fill(expect.stringContaining('no-invalid-media-type-examples')),
      expect.stringContaining('security-defined'),
    ]);
  });
});

test('nothing in openapi.json makes generators of clients drop or misread a response', () => {
  const found: string[] = [];
  const search = (schema: unknown, pointer: string, merged: boolean): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [keyword, value] of Object.entries(schema)) {
      const place = `${pointer}/${keyword}`;
      // openapi-python-client cannot merge them, and omits the response.
      if (merged && keyword === 'const') found.push(place);
      // openapi-generator takes the properties beside them for none.
      if (keyword === 'oneOf' && 'properties' in schema) found.push(place);
      // Its Python client matches the pattern from the start of the date that it has parsed.
      if (keyword === 'pattern' && 'format' in schema) found.push(place);
      // Its Java client does not compile: it makes a BigDecimal of the text of another.
      const isChosen = keyword === 'const' || keyword === 'enum';
      if (isChosen && 'type' in schema && schema.type === 'number') found.push(place);
      search(value, place, merged || keyword === 'allOf');
    }
  };
  search(openapiDocument(), '', false);
  expect(found).toEqual([]);
});

describe('a request schema allows what the service takes, and nothing else', () => {
  const sameFor = <Value>(
    pointer: string,
    accepts: (value: Value) => boolean,
    values: fc.Arbitrary<Value>,
  ) =>
    fc.assert(
      fc.property(values, (value) => {
        expect([value, failures(pointer, value).length === 0]).toEqual([value, accepts(value)]);
      }),
      { numRuns: 300 },
    );
  const text = (maximum: number) =>
    fc.oneof(
      plainText(0, maximum),
      plainText(maximum - 1, maximum + 1),
      fc.tuple(plainText(0, 3), controlCharacter, plainText(0, 3)).map((parts) => parts.join('')),
      fc.constantFrom('', ' ', '\u00a0', 'a'),
    );
  const parameter = (name: string) => {
    const operation = contract.paths['/v1/sandboxes']?.get;
    const index = operation?.parameters.findIndex((each) => 'name' in each && each.name === name);
    return `/paths/~1v1~1sandboxes/get/parameters/${index}/schema`;
  };

  test('of an approval', () => {
    sameFor(
      '/components/schemas/ApprovePaymentRequest',
      (body) => ApprovePaymentRequest.safeParse(body).success,
      fc.record(
        { approver: fc.oneof(fc.uuid(), fc.string()), reason: text(1000), other: fc.boolean() },
        { requiredKeys: [] },
      ),
    );
  });

  test('of a sandbox, but for the white space that is removed from a name', () => {
    sameFor(
      '/components/schemas/CreateSandbox',
      (body) => CreateSandbox.safeParse(body).success,
      fc.record({ name: text(255).map((name) => name.replaceAll(/^\s+|\s+$/g, '')) }),
    );
  });

  test('of a name that is nothing but white space', () => {
    expect(failures('/components/schemas/CreateSandbox', { name: ' \u00a0' })).not.toEqual([]);
  });

  test('of an Idempotency-Key', () => {
    sameFor(
      '/components/parameters/IdempotencyKey/schema',
      (key) => idempotencyKeyPattern.test(bareKey(key)),
      fc
        .oneof(
          fc.stringMatching(/^[!-~]{1,4}$/),
          fc
            .tuple(
              fc.constantFrom('x', 'x y', 'x"', '"', 'é', 'a\tb'),
              fc.constantFrom(1, 254, 255, 256, 257),
            )
            .map(([start, length]) => start.padEnd(length, '-')),
        )
        .chain((key) => fc.constantFrom(key, `"${key}"`, '""', '')),
    );
  });

  test('of an If-Match, which has no white space at its ends', () => {
    sameFor(
      '/paths/~1v1~1payment-requests~1{id}~1approve/post/parameters/1/schema',
      (value) => entityTags(value) !== undefined,
      fc
        .array(fc.constantFrom('"7"', 'W/', '*', ',', ' ', '\t', '"', 'é', 'x', '""'))
        .map((parts) => parts.join('').trim()),
    );
  });

  test('of the limit', () => {
    sameFor(
      parameter('limit'),
      (limit) => ListSandboxes.safeParse({ limit: String(limit) }).success,
      fc.oneof(fc.integer({ min: -5, max: 205 }), fc.double({ noNaN: true })),
    );
  });

  test.each(['cursor', 'starting_after', 'ending_before'])('of %s', (name) => {
    sameFor(
      parameter(name),
      (value) => ListSandboxes.safeParse({ [name]: value }).success,
      fc.oneof(
        fc.string(),
        fc.stringMatching(/^[\w-]{1,20}$/),
        fc.ulid().map((ulid) => `sbx_${ulid}`),
        fc.constantFrom('x'.repeat(512), 'x'.repeat(513)),
      ),
    );
  });
});
