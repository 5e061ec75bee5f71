import { bodyLimit } from '../../functions/domain/body-limit.ts';
import { idempotencyKeyForm } from '../../functions/domain/idempotency-key.ts';
import { type ProblemCode, problems, unknownIdAdvice } from '../../functions/domain/problem.ts';

interface CatalogueEntry {
  /** What happened. */
  readonly meaning: string;
  /** What the client does about it. */
  readonly remedy: string;
}

/** What each code means and what a client does about it, in the order of the table of problems. */
const problemCatalogue: Record<ProblemCode, CatalogueEntry> = {
  invalid_request: {
    meaning:
      'The body, a member of it, a query parameter or a header is malformed, unknown, repeated or of a wrong type. `errors` lists the faults, at most 100, with their places.',
    remedy: 'Correct every fault that `errors` lists. The same request fails again.',
  },
  conflicting_parameters: {
    meaning: 'More than one of `cursor`, `starting_after` and `ending_before` was sent.',
    remedy: 'Send one of them at most.',
  },
  invalid_cursor: {
    meaning: 'The cursor was altered, or was issued to another workspace or by another list.',
    remedy: 'Send a cursor exactly as a page returned it, or start again without one.',
  },
  resource_missing: {
    meaning: '`starting_after` or `ending_before` names no sandbox of this workspace.',
    remedy: 'Send the identifier of a sandbox that a page returned.',
  },
  invalid_idempotency_key: {
    meaning: `The key does not have ${idempotencyKeyForm}, or was sent twice, in two lines or in one (\`k, k\`).`,
    remedy: 'Send one key, such as a UUID.',
  },
  unauthenticated: {
    meaning: 'The access token is missing, malformed, unknown, expired or revoked.',
    remedy: 'Send `Authorization: Bearer <ACCESS_TOKEN>` with a valid token.',
  },
  insufficient_scope: {
    meaning: 'The token lacks the scope of the operation, which `detail` names.',
    remedy: 'Request a token with that scope.',
  },
  not_a_manager: {
    meaning: 'The approver is not a manager of the account that the token belongs to.',
    remedy: "Send the UUID of one of the account's managers.",
  },
  live_workspace_required: {
    meaning: 'The token belongs to a test workspace. Only live workspaces own sandboxes.',
    remedy: 'Send a token of the live workspace (`wfp_live_…`).',
  },
  request_blocked: {
    meaning: 'The firewall blocked the request.',
    remedy: 'Send the `request_id` to support if the request was legitimate.',
  },
  payment_request_not_found: {
    meaning: 'The payment request does not exist, or belongs to another workspace.',
    remedy: unknownIdAdvice,
  },
  offer_not_found: {
    meaning: 'The offer does not exist, or belongs to another workspace.',
    remedy: unknownIdAdvice,
  },
  route_not_found: {
    meaning: 'No operation has this path.',
    remedy: 'Check the path and the base URL. Every path starts with `/v1`.',
  },
  method_not_allowed: {
    meaning: 'The path exists and does not support this method.',
    remedy: 'Use a method that the header `Allow` lists.',
  },
  offer_not_sent: {
    meaning:
      'The offer is not in the status `sent`. A draft must first be sent; an offer that was accepted, declined or voided, or has expired, cannot be sent again.',
    remedy: 'Read `detail` for its status. The same request fails until that changes.',
  },
  idempotency_key_in_use: {
    meaning: 'The first request with this key is still running.',
    remedy:
      'Wait for the seconds in `Retry-After`, then send the same request with the same key again.',
  },
  response_too_large: {
    meaning:
      'The payment request and its list of approvals are too large to be saved with an `Idempotency-Key`. The request had no effect.',
    remedy:
      'Send the request without a key, once: repeated without a key, it may have a second effect.',
  },
  version_mismatch: {
    meaning:
      'The payment request has a version that `If-Match` does not name: the record has changed since it was read, or the change that was read has not been imported yet. `version` is the version that it has. The request had no effect.',
    remedy:
      'If `detail` says that `If-Match` names no version, send `"7"` for version 7. If `version` is higher than what the manager saw, load the record again and show it. If it is lower, wait until the newer record has been imported. A key can be used again.',
  },
  body_too_large: {
    meaning: `The body is larger than ${bodyLimit}.`,
    remedy: 'Send a smaller body.',
  },
  unsupported_media_type: {
    meaning: 'The body is not declared as JSON, or has a content coding, such as gzip.',
    remedy: 'Send `Content-Type: application/json`, and no `Content-Encoding`.',
  },
  idempotency_key_reused: {
    meaning: 'The key was used for a different request: another path, body or `If-Match`.',
    remedy: 'Use a new key for each intent, and the same request for each retry.',
  },
  rate_limited: {
    meaning: 'The client sends too many requests.',
    remedy:
      'Wait for the seconds in `Retry-After`, then retry with exponential backoff and jitter.',
  },
  internal_error: {
    meaning: 'The service failed in an unexpected way.',
    remedy:
      'Retry with the same `Idempotency-Key`. Without a key, first check whether the request took effect. Send the `request_id` to support if it continues.',
  },
  unavailable: {
    meaning:
      'The service or one of its dependencies cannot respond at the moment. The request had no effect.',
    remedy:
      'Wait for the seconds in `Retry-After`, then send the request again, with the same `Idempotency-Key` if it had one.',
  },
  outcome_unknown: {
    meaning: 'The response to a write was lost, so the request may have taken effect.',
    remedy:
      'Send the request again with the same `Idempotency-Key`: it takes effect once. Without a key, first check whether the request took effect, then decide.',
  },
};

export const problemTag = (code: ProblemCode) => {
  const { meaning, remedy } = problemCatalogue[code];
  return {
    name: code,
    description: `**${problems[code].status}:** ${meaning}\n\n**What to do:** ${remedy}`,
  };
};
