import { expect, test } from 'vitest';
import * as identifiers from '../../functions/domain/identifiers.ts';

const ulid = '7ZZZZZZZZZZZZZZZZZZZZZZZZZ';
const opaque = {
  valid: ['x', 'aZ09_-', 'x'.repeat(100)],
  invalid: ['', 'x'.repeat(101), 'a b', 'a/b', 'a#b', 'ä', 'x\n'],
};
const ordered = {
  valid: [ulid, ulid.replaceAll('Z', '0')],
  invalid: [
    ...['', 'x', ulid.slice(1), `${ulid}0`, ulid.replace('7', '8'), ulid.toLowerCase()],
    ...Array.from('ILOU-\n', (foreign) => ulid.slice(0, -1) + foreign),
  ],
};
const uuid = '1a111111-1111-4111-8111-111111111111';
const uuids = { valid: [uuid], invalid: [uuid.replaceAll('-', ''), ` ${uuid}`, `${uuid}\n`] };
const times = {
  valid: ['01-31T09:30:00.000Z'],
  invalid: ['01-31T09:30:00Z', '01-31T09:30:00.000+01:00', '02-30T09:30:00.000Z'],
};

test.each([
  ['ptr_', identifiers.PaymentRequestId, opaque],
  ['wr_', identifiers.WorkerId, opaque],
  ['wsp_', identifiers.WorkspaceId, opaque],
  ['wsp_test_', identifiers.TestWorkspaceId, opaque],
  ['acc_', identifiers.AccountId, opaque],
  ['ofr_', identifiers.OfferId, opaque],
  ['ptr_', identifiers.RecordId, opaque],
  ['ofr_', identifiers.RecordId, opaque],
  ['apprdec_', identifiers.ApprovalId, ordered],
  ['sbx_', identifiers.SandboxId, ordered],
  ['dlv_', identifiers.DeliveryAttemptId, ordered],
  ['tok_', identifiers.TokenId, ordered],
  ['rdc_', identifiers.RedactionId, ordered],
  ['', identifiers.ManagerId, uuids],
  ['2026-', identifiers.Timestamp, times],
] as const)(
  'an identifier or time that begins with %j has one form',
  (prefix, schema, { valid, invalid }) => {
    const takes = (value: unknown) => schema.safeParse(value).success;
    for (const rest of valid) {
      expect(takes(prefix + rest), rest).toBe(true);
      expect(takes(` ${prefix}${rest}`), rest).toBe(false);
      expect(takes(rest), rest).toBe(prefix === '');
    }
    for (const rest of invalid) expect(takes(prefix + rest), rest).toBe(false);
  },
);

test('a ManagerId is the same in whatever case it comes', () => {
  expect(identifiers.ManagerId.parse(uuid.toUpperCase())).toBe(uuid);
});
