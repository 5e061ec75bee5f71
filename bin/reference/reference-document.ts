import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, '../../openapi.json');

/**
 * The contract, to be tried at this origin. What may be left out of a request has no example here: the
 * viewer would fill it in, and so send a cursor that is not of this run, or the key of an intent that
 * was carried out before.
 */
export const referenceDocument = (origin: string): unknown => ({
  ...JSON.parse(readFileSync(file, 'utf8'), withoutOptionalExample),
  servers: [{ url: origin }],
});

/** A parameter is what says where it is `in`. */
const withoutOptionalExample = (_: string, value: unknown) => {
  if (typeof value !== 'object' || value === null || !('in' in value)) return value;
  return 'required' in value && value.required ? value : { ...value, example: undefined };
};
