import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { type Route, routes } from '../../functions/domain/routes.ts';
import type { Sent } from '../support/function-events.ts';
import { newOffer, newPaymentRequest, newTenant } from '../support/tenants.ts';
import { useFunctions } from '../support/use-functions.ts';
import { responseOf } from './responses.ts';

const { deployed, tenant } = await useFunctions();

/** Sends requests to a route's function. */
const senderTo = (route: Route) => {
  const lambda = deployed(route.functionName);
  return (sent: Partial<Sent>, fields?: Partial<APIGatewayProxyEvent>) =>
    responseOf(lambda, route, { tenant, ...sent }, fields);
};
const approve = senderTo(routes.approvePaymentRequest);
const list = senderTo(routes.listSandboxes);
const resend = senderTo(routes.resendOffer);
const toCreate = senderTo(routes.createSandbox);
const create = (fields: Partial<APIGatewayProxyEvent>) => toCreate({ body: {} }, fields);

const base64 = (content: string | Buffer): Partial<APIGatewayProxyEvent> => ({
  body: Buffer.from(content).toString('base64'),
  isBase64Encoded: true,
});

test('a body in base64 reads like the same body as text', async () => {
  const text = JSON.stringify({ name: 'Grüße 😀' });
  for (const fields of [{ body: text }, base64(text)]) {
    const { status, body } = await create(fields);
    expect([status, body.name]).toEqual([201, 'Grüße 😀']);
  }
});

test('bytes that are not UTF-8 are not JSON', async () => {
  for (const bytes of ['{"name":"\xff"}', '{"name":"\xc3("}', '{"name":"\xed\xa0\x80"}']) {
    const { status, body } = await create(base64(Buffer.from(bytes, 'latin1')));
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.errors).toMatchObject([{ pointer: '', code: 'malformed_json' }]);
  }
});

test('a byte order mark is ignored, as RFC 8259 section 8.1 permits', async () => {
  const { status, body } = await create({ body: '\ufeff{"name":"a"}' });
  expect([status, body.name]).toEqual([201, 'a']);
});

test('a body of 64 KiB in base64 is accepted, and one byte more is not', async () => {
  const sized = (bytes: number) => {
    const frame = '{"name":"€"}';
    return base64(`${frame}${' '.repeat(bytes - Buffer.byteLength(frame))}`);
  };
  expect((await create(sized(65_536))).status).toBe(201);
  const { status, body } = await create(sized(65_537));
  expect([status, body.code]).toEqual([413, 'body_too_large']);
  expect(body.detail).toBe('The body has 65,537 bytes. The maximum is 65,536 bytes.');
});

describe('maps that API Gateway sends as null', () => {
  const empty = {
    headers: null as never,
    multiValueHeaders: null as never,
    pathParameters: null,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
  };

  test('read as a request without headers, parameters and body', async () => {
    const { status, body } = await list({ tenant: await newTenant() }, empty);
    expect([status, body]).toEqual([200, { sandboxes: [] }]);
  });

  test('without a path parameter name nothing that exists', async () => {
    const body = { approver: tenant.manager };
    const { code } = (await approve({ body }, { pathParameters: null })).body;
    expect(code).toBe('payment_request_not_found');
    expect((await resend({}, empty)).body.code).toBe('offer_not_found');
  });

  test('leave a body without its media type', async () => {
    const { status, body } = await create({ ...empty, body: '{"name":"a"}' });
    expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
  });
});

test('no body reads as an empty object, and needs no media type', async () => {
  for (const body of [null, '']) {
    const response = await create({ body, multiValueHeaders: {} });
    const required = { pointer: '/name', code: 'required', detail: 'Is required.' };
    expect([response.status, response.body.errors]).toEqual([400, [required]]);
  }
  const offer = await newOffer(tenant.workspace);
  expect((await resend({ id: offer.id }, { body: null })).status).toBe(200);
});

test('a header means the same in any case, in whichever map API Gateway sends it', async () => {
  for (const name of ['content-type', 'CONTENT-TYPE']) {
    for (const fields of [
      { headers: null as never, multiValueHeaders: { [name]: ['application/json'] } },
      { headers: { [name]: 'application/json' }, multiValueHeaders: null as never },
    ]) {
      expect((await create({ body: '{"name":"a"}', ...fields })).status).toBe(201);
    }
  }
});

test('faults of body, query and headers are reported in one response', async () => {
  const { status, body } = await create({
    body: '{"extra":1,"extra":2}',
    multiValueQueryStringParameters: { debug: ['1'], twice: ['1', '2'] },
    multiValueHeaders: { 'content-type': ['application/json'], 'idempotency-key': ['a', 'b'] },
  });
  expect([status, body.code]).toEqual([400, 'invalid_request']);
  expect(body.errors).toMatchObject([
    { pointer: '/extra', code: 'repeated' },
    { pointer: '/name', code: 'required' },
    { pointer: '/extra', code: 'unknown' },
    { parameter: 'twice', code: 'repeated' },
    { parameter: 'debug', code: 'unknown' },
    { parameter: 'twice', code: 'unknown' },
    { header: 'Idempotency-Key', code: 'invalid_idempotency_key' },
  ]);
});

describe('an Idempotency-Key', () => {
  const createOnce = (key: string) => {
    const multiValueHeaders = { 'Content-Type': ['application/json'], 'idempotency-key': [key] };
    return create({ body: '{"name":"a"}', multiValueHeaders });
  };

  test.each([
    '',
    '""',
    'x'.repeat(256),
    'tab\there',
    'ümlaut',
    'k, k',
    'k, k, k',
    'a,b, a,b',
    'a, b, a, b',
    '5,5, 5,5',
    '"q", "q"',
    '"q","q","q"',
    '"q", q',
    'q, "q"',
    'q, "q", q',
    '"a", "b"',
    '"a,b", "a,b"',
    '"a, a", "b"',
    '"k, k"',
    '"", ""',
    ',',
    ', ,',
    `${'x'.repeat(100)}, ${'x'.repeat(100)}`,
    // An expression that looks for a repeated key may take exponential time for these.
    `""${', ""'.repeat(63)}x`,
    `${'", '.repeat(84)}x`,
    `"${'"'.repeat(120)}, ${'"'.repeat(120)}x`.slice(0, 255),
  ])('that was joined from several, or is none, is refused: %s', async (key) => {
    const { status, body } = await createOnce(key);
    expect([status, body.code]).toEqual([400, 'invalid_idempotency_key']);
    expect(body.errors).toEqual([
      {
        header: 'Idempotency-Key',
        code: 'invalid_idempotency_key',
        detail: 'Must be given once, with 1 to 255 printable ASCII characters.',
      },
    ]);
  });

  test.each([
    '5,5',
    'eu,eu',
    '2026-11-26,2026-11-26',
    'a,b',
    'a, b',
    '"c,d"',
    'k,',
    'a, b, a',
    'k, kk',
    'kk, k',
    '1,11',
    'order 7, line 2',
    'a"b, a',
    `${'x,'.repeat(120)}y`,
    `${'x, "x",'.repeat(30)}y`,
  ])('that contains a comma is one key: %s', async (key) => {
    const [first, again] = [await createOnce(key), await createOnce(key)];
    expect([first.status, again.text]).toEqual([201, first.text]);
  });
});

test.each([
  [['"6"', '"7"'], 200],
  [['"7"', '"6"'], 200],
  [['"5"', '"6"', '"7"'], 200],
  [['"5"', '"6"'], 412],
  [['"7"', 'x'], 400],
  [['x', '"7"'], 400],
])('the lines %j of If-Match are one list: %i', async (lines, expected) => {
  const version = { version: 7 } as Parameters<typeof newPaymentRequest>[1];
  const { id } = await newPaymentRequest(tenant.workspace, version);
  const sent = { id, body: { approver: tenant.manager } };
  const multiValueHeaders = { 'Content-Type': ['application/json'], 'If-Match': lines };
  expect((await approve(sent, { multiValueHeaders })).status).toBe(expected);
});

const repeated = { code: 'repeated', detail: 'Must be given at most once.' };

test.each([
  ['{"name":"a","name":"b"}', ['/name']],
  ['{"name":"a","\\u006eame":"a"}', ['/name']],
  ['\ufeff{ "name" : "a" , "name"\n:"a","name":"c"}', ['/name']],
  ['{"name":"a","a/b":{"c~":[0,{"d":1,"d":{}}]}}', ['/a~1b/c~0/1/d']],
  ['{"name":"a","":1,"":1,"__proto__":1,"__proto__":1}', ['/', '/__proto__']],
  ['[{"name":1},{"name":[1,"name",1]},{"name":1,"x":"name","name":1}]', ['/2/name']],
  ['{"name":"\\"name\\":\\\\"}', []],
])('members that occur twice are named: %s', async (body, pointers) => {
  const { status, body: response } = await create({ body });
  const { errors = [] } = response;
  expect(errors.filter(({ code }: { code: string }) => code === 'repeated')).toEqual(
    pointers.map((pointer) => ({ pointer, ...repeated })),
  );
  expect(status).toBe(pointers.length > 0 ? 400 : 201);
});

test.each([
  ['deep', `${'[{"a":'.repeat(8000)}{"b":1,"b":1}${'}]'.repeat(8000)}`],
  ['full of escapes', `{"name":"${'\\"'.repeat(32_000)}","name":1}`],
  ['full of space', `{"name"${' '.repeat(65_000)}:1,"name":1}`],
])('a body of 64 KiB that is %s is refused like a small one', async (_, body) => {
  expect(Buffer.byteLength(body)).toBeLessThan(65_537);
  const response = await create({ body });
  expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
  expect(response.body.errors).toContainEqual(expect.objectContaining(repeated));
});

describe('the faults of a body of 64 KiB', () => {
  const filled = (start: string, part: (index: number) => string, end = '') => {
    const parts: string[] = [];
    for (let bytes = start.length + end.length; ; ) {
      const next = part(parts.length);
      bytes += Buffer.byteLength(next);
      if (bytes > 65_000) return start + parts.join('') + end;
      parts.push(next);
    }
  };
  const twice = (index: number) => `"${index.toString(36)}":1,"${index.toString(36)}":1,`;
  const around = (name: string) => filled(`{"${name}":{`, twice, '"":1}}');
  const bodies = {
    'unknown names': filled('{', (index) => `"${index.toString(36)}":1,`, '"":1}'),
    'repeated names': filled('{', twice, '"":1}'),
    'long names': filled('{', (index) => `"${index}${'x'.repeat(150)}":1,`, '"":1}'),
    'repeated names in a long one': around('x'.repeat(194)),
    'repeated names in one of three bytes': around('\uffee'.repeat(194)),
    'repeated names in one with escapes': around('\\u0001'.repeat(32)),
    'repeated names deep down': `${'['.repeat(20_000)}${'{"":1,"":1},'.repeat(2000)}0${']'.repeat(20_000)}`,
  };
  test.each(
    Object.entries(bodies).flatMap(([name, body]) =>
      [approve, toCreate, resend].map((send) => [name, body, send] as const),
    ),
  )('with %s are the first hundred, and how many more there are', async (_, body, send) => {
    const { status, text, body: response } = await send({ id: 'x', body: {} }, { body });
    const sent = [status, response.errors.length];
    expect(sent).toEqual([400, 100]);
    const [, more = ''] =
      /^The request has [\d,]+ errors: the first 100, and ([\d,]+) more\.$/.exec(response.detail) ??
      [];
    expect(Number(more.replace(',', ''))).toBeGreaterThan(100);
    for (const { pointer } of response.errors) expect(pointer.length).toBeLessThanOrEqual(200);
    expect(Buffer.byteLength(text)).toBeLessThan(70_000);
  });

  test('have pointers that are cut at a name', async () => {
    const [long, fits] = ['x'.repeat(195), 'y'.repeat(196)];
    const body = `{"a":{"${long}":{"b":{"c":1,"c":1}}},"a~":{"${fits}":1,"${fits}":1},"${fits}${fits}":1}`;
    const { errors } = (await create({ body })).body;
    const places = errors.map(({ pointer, code }: { pointer: string; code: string }) => [
      pointer,
      code,
    ]);
    expect(places).toEqual([
      [`/a/${long}/b`, 'repeated'],
      ['/a~0', 'repeated'],
      ['/name', 'required'],
      ['/a', 'unknown'],
      ['/a~0', 'unknown'],
      ['', 'unknown'],
    ]);
  });
});
