import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/domain/routes.ts';
import { answerOf } from '../support/answers.ts';
import { requestTo } from '../support/function-events.ts';
import { newOffer, newTenant } from '../support/tenants.ts';
import { useFunctions } from '../support/use-functions.ts';

const { deployed, tenant } = await useFunctions();

const lambdas = {
  approve: deployed(routes.approvePaymentRequest.functionName),
  create: deployed(routes.createSandbox.functionName),
  list: deployed(routes.listSandboxes.functionName),
  resend: deployed(routes.resendOffer.functionName),
};

const create = (fields: Partial<APIGatewayProxyEvent>) =>
  answerOf(lambdas.create, requestTo(routes.createSandbox, { tenant, body: {} }, fields));

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
    const { status, body } = await answerOf(
      lambdas.list,
      requestTo(routes.listSandboxes, { tenant: await newTenant() }, empty),
    );
    expect([status, body]).toEqual([200, { sandboxes: [] }]);
  });

  test('without a path parameter name nothing that exists', async () => {
    const approve = requestTo(
      routes.approvePaymentRequest,
      { tenant, body: { approver: tenant.manager } },
      { pathParameters: null },
    );
    expect((await answerOf(lambdas.approve, approve)).body.code).toBe('payment_request_not_found');
    const resend = requestTo(routes.resendOffer, { tenant }, empty);
    expect((await answerOf(lambdas.resend, resend)).body.code).toBe('offer_not_found');
  });

  test('leave a body without its media type', async () => {
    const { status, body } = await create({ ...empty, body: '{"name":"a"}' });
    expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
  });
});

test('no body reads as an empty object, and needs no media type', async () => {
  for (const body of [null, '']) {
    const answer = await create({ body, multiValueHeaders: {} });
    expect([answer.status, answer.body.errors]).toEqual([
      400,
      [{ pointer: '/name', code: 'required', detail: 'Is required.' }],
    ]);
  }
  const offer = await newOffer(tenant.workspace);
  const resend = requestTo(routes.resendOffer, { tenant, id: offer.id }, { body: null });
  expect((await answerOf(lambdas.resend, resend)).status).toBe(200);
});

test('header names mean the same in any case', async () => {
  for (const name of ['content-type', 'CONTENT-TYPE', 'Content-Type']) {
    const { status } = await create({
      body: '{"name":"a"}',
      multiValueHeaders: { [name]: ['application/json'] },
    });
    expect(status).toBe(201);
  }
});

test('faults of body, query and headers are reported in one response', async () => {
  const { status, body } = await create({
    body: '{"extra":1}',
    multiValueQueryStringParameters: { debug: ['1'], twice: ['1', '2'] },
    multiValueHeaders: { 'content-type': ['application/json'], 'idempotency-key': ['a', 'b'] },
  });
  expect([status, body.code]).toEqual([400, 'invalid_request']);
  expect(body.errors).toMatchObject([
    { pointer: '/name', code: 'required' },
    { pointer: '/extra', code: 'unknown' },
    { parameter: 'twice', code: 'repeated' },
    { parameter: 'debug', code: 'unknown' },
    { parameter: 'twice', code: 'unknown' },
    { header: 'Idempotency-Key', code: 'invalid_idempotency_key' },
  ]);
});
