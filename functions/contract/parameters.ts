import { idempotencyKeyDays, idempotencyKeyForm } from '../domain/idempotency-key.ts';
import type { Parameter } from './operation.ts';

/** The identifier in the path of an operation on one object. */
export const identifier = (of: string, example: string): Parameter => ({
  name: 'id',
  in: 'path',
  required: true,
  description: `Identifier of the ${of}. One that is malformed, unknown or in another workspace returns 404.`,
  schema: { type: 'string' },
  example,
});

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: `Makes a retry safe: for ${idempotencyKeyDays} days, a request with the same key returns the saved response and has no effect of its own. ${idempotencyKeyForm}; a key in double quotes equals the bare key. A key that is sent twice is rejected, also in one line (\`k, k\`), and so is a list of keys in quotes; \`k,k\` without a space is one key. Keys belong to a workspace and an operation. Only successes are saved: after an error, the same key can be sent again.`,
  // The value of a header has no space at its ends: in quotes, or without one of them at least.
  schema: {
    type: 'string',
    pattern: '^("[ -~]{1,255}"|[!#-~]([ -~]{0,253}[!-~])?|"([ -~]{0,253}[!#-~])?)$',
  },
  example: '7d1c1f0e-0f0a-4c59-9d5b-5c1a5d0f2b6e',
};

const tag = '(W/)?"[!#-~\\u0080-\\u00ff]*"';

/** The versions of the record that a manager saw. */
export const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'Approves only if the version of the payment request is one of these: entity tags, such as `"7"` or `"6", "7"`. `*` is any version, `"0"` where no record was sent. A weak tag, such as `W/"7"`, matches none. Another version returns 412.',
  // A list may have empty elements, and white space around commas (RFC 9110, section 5.6.1).
  schema: {
    type: 'string',
    pattern: `^(\\*|(,[ \\t]*)*${tag}[ \\t]*(,[ \\t]*(${tag}[ \\t]*)?)*)$`,
  },
  // Postman's importer sends random text where there is no example.
  example: '"0"',
};

/** `components.parameters` of the document. */
export const sharedParameters = { IdempotencyKey: idempotencyKey };
