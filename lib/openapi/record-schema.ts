import * as z from 'zod/mini';
import { memberName, RecordMessage } from '../../functions/domain/record.ts';
import { withPortablePatterns } from './portable-patterns.ts';

const [isUnsent, isSending] = [{ const: false }, { const: true }];
const isSent = { properties: { status: { const: 'sent' } } };

/** How the schema's members go together. */
const oneOf = [
  { required: ['payment_request'], properties: { offer: false, send: isUnsent } },
  { required: ['offer'], properties: { payment_request: false, send: isUnsent } },
  {
    required: ['offer', 'send'],
    properties: { payment_request: false, send: isSending, offer: isSent },
  },
];

const value = { $ref: '#/$defs/storable' };

/**
 * The JSON Schema of a message of a record, with every pattern: many validators ignore formats.
 * lib/RECORDS.md names the rules that it cannot have.
 */
export const recordSchema = () => {
  const { $schema, ...schema } = z.toJSONSchema(RecordMessage, { io: 'input' });
  return withPortablePatterns({
    $schema,
    title: 'A record of a company, as the queue of records takes it',
    ...schema,
    oneOf,
    $defs: {
      storable: { propertyNames: memberName, additionalProperties: value, items: value },
    },
  });
};
