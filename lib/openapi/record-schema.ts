import * as z from 'zod/mini';
import { memberName, RecordMessage } from '../../functions/domain/record.ts';

const value = { $ref: '#/$defs/storable' };

/**
 * The JSON Schema of a message of a record, with every pattern: many validators ignore formats.
 * lib/RECORDS.md names the rules that it cannot have.
 */
export const recordSchema = () => {
  const { $schema, ...schema } = z.toJSONSchema(RecordMessage, { io: 'input' });
  return {
    $schema,
    title: 'A record of a company, as the queue of records takes it',
    ...schema,
    $defs: {
      storable: { propertyNames: memberName, additionalProperties: value, items: value },
    },
  };
};
