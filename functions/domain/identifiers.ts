import * as z from 'zod/mini';

const prefixed = (prefix: string, rest: string, restInWords: string) =>
  z
    .string()
    .check(
      z.regex(new RegExp(`^${prefix}${rest}$`), `Must be ${prefix} followed by ${restInWords}.`),
    );

/** `<prefix>` and an opaque string; 100 characters are far below DynamoDB's limit for a key. */
const identifier = (prefix: string) =>
  prefixed(prefix, '[0-9A-Za-z_-]{1,100}', '1 to 100 letters, digits, _ or -');

/** `<prefix>` followed by a ULID: the order of these identifiers is the order of creation. */
const ordered = (prefix: string) => prefixed(prefix, '[0-7][0-9A-HJKMNP-TV-Z]{25}', 'a ULID');

// The prefixes are those of the contract, or follow its form.
export const PaymentRequestId = identifier('ptr_');
export const WorkerId = identifier('wr_');
export const ApprovalId = ordered('apprdec_');
export const SandboxId = ordered('sbx_');
export const WorkspaceId = identifier('wsp_');
export const TestWorkspaceId = identifier('wsp_test_');
export const AccountId = identifier('acc_');
export const OfferId = identifier('ofr_');
export const DeliveryAttemptId = ordered('dlv_');
export const TokenId = ordered('tok_');
export const RedactionId = ordered('rdc_');
/** One pattern, because generators of clients cannot name the members of a union of strings. */
export const RecordId = identifier('(ptr|ofr)_');

/** UUIDs are compared in lower case (RFC 9562, section 4). Its version is not checked. */
export const ManagerId = z.string().check(z.toLowerCase(), z.guid('Must be a UUID.'));

/** An instant as ISO 8601 in UTC with milliseconds: `2026-01-31T09:30:00.000Z`. */
export const Timestamp = z.iso.datetime({
  precision: 3,
  error: 'Must be a time in UTC with milliseconds, such as 2026-01-31T09:30:00.000Z.',
});
