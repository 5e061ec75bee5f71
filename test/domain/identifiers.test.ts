import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  AccountId,
  ApprovalId,
  DeliveryAttemptId,
  ManagerId,
  OfferId,
  PaymentRequestId,
  SandboxId,
  TestWorkspaceId,
  Timestamp,
  WorkerId,
  WorkspaceId,
} from '../../functions/domain/identifiers.ts';
import { character, opaque, ordered, timestamp } from '../support/arbitraries.ts';

const opaqueOnes = { PaymentRequestId, WorkerId, WorkspaceId, TestWorkspaceId, AccountId, OfferId };
const orderedOnes = { ApprovalId, SandboxId, DeliveryAttemptId };
const prefixes: Record<keyof typeof opaqueOnes | keyof typeof orderedOnes, string> = {
  PaymentRequestId: 'ptr_',
  WorkerId: 'wr_',
  WorkspaceId: 'wsp_',
  TestWorkspaceId: 'wsp_test_',
  AccountId: 'acc_',
  OfferId: 'ofr_',
  ApprovalId: 'apprdec_',
  SandboxId: 'sbx_',
  DeliveryAttemptId: 'dlv_',
};

const takes = (schema: { safeParse: (value: unknown) => { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

describe.each(Object.entries(opaqueOnes))('%s', (name, schema) => {
  const prefix = prefixes[name as keyof typeof prefixes];

  test(`is ${prefix} and 1 to 100 letters, digits, _ and -`, () => {
    fc.assert(
      fc.property(opaque, (rest) => {
        expect(takes(schema, prefix + rest)).toBe(true);
      }),
    );
  });

  test('has nothing else in it, before it or behind it', () => {
    const foreign = character.filter((one) => !/[0-9A-Za-z_-]/.test(one));
    fc.assert(
      fc.property(opaque, foreign, (rest, one) => {
        expect(takes(schema, `${prefix}${rest}${one}`)).toBe(false);
        expect(takes(schema, `${one}${prefix}${rest}`)).toBe(false);
        expect(takes(schema, `${prefix}${one}${rest}`)).toBe(false);
      }),
    );
  });

  test.each(['', prefix, `${prefix}${'x'.repeat(101)}`, `${prefix.toUpperCase()}x`, 'x', 7, null])(
    'is not %j',
    (value) => {
      expect(takes(schema, value)).toBe(false);
    },
  );
});

describe.each(Object.entries(orderedOnes))('%s', (name, schema) => {
  const prefix = prefixes[name as keyof typeof prefixes];

  test(`is ${prefix} and a ULID`, () => {
    fc.assert(
      fc.property(ordered, (rest) => {
        expect(takes(schema, prefix + rest)).toBe(true);
      }),
    );
  });

  test('is no other text, not even a ULID that is spelt otherwise', () => {
    fc.assert(
      fc.property(ordered, fc.constantFrom('I', 'L', 'O', 'U', 'i', '-', '\n'), (rest, foreign) => {
        expect(takes(schema, `${prefix}${rest.slice(1)}`)).toBe(false);
        expect(takes(schema, `${prefix}${rest}0`)).toBe(false);
        expect(takes(schema, `${prefix}8${rest.slice(1)}`)).toBe(false);
        expect(takes(schema, `${prefix}${rest.slice(0, -1)}${foreign}`)).toBe(false);
        expect(takes(schema, `${prefix}${rest}\n`)).toBe(false);
        expect(takes(schema, rest)).toBe(false);
      }),
    );
  });
});

describe('ManagerId', () => {
  test('is a UUID, in whatever case it comes', () => {
    const anyCase = fc.mixedCase(fc.uuid());
    fc.assert(
      fc.property(anyCase, (id) => {
        expect(ManagerId.parse(id)).toBe(id.toLowerCase());
      }),
    );
  });

  test.each([
    '',
    '11111111111141118111111111111111',
    ' 11111111-1111-4111-8111-111111111111',
    '11111111-1111-4111-8111-111111111111\n',
    7,
    null,
  ])('is not %j', (value) => {
    expect(takes(ManagerId, value)).toBe(false);
  });
});

describe('Timestamp', () => {
  test('is what Date writes', () => {
    fc.assert(
      fc.property(timestamp, (instant) => {
        expect(Timestamp.parse(instant)).toBe(instant);
      }),
    );
  });

  test.each(['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000+01:00', '2026-02-30T09:30:00.000Z'])(
    'is not %s',
    (value) => {
      expect(takes(Timestamp, value)).toBe(false);
    },
  );
});
