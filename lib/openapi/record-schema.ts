import { jsonSchema } from '../../functions/contract/json-schema.ts';
import { RecordMessage } from '../../functions/domain/record.ts';

/** The JSON Schema of a message of a record, which lib/RECORDS.md explains. */
export const recordSchema = () => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A record of a company, as the queue of records takes it',
  ...jsonSchema(RecordMessage),
});
