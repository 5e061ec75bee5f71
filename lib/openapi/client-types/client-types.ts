import openapiTS, { astToString } from 'openapi-typescript';

const head = '// Made from openapi.json by `npm run openapi`.\n\n';

/** The types that openapi-fetch takes, for an OpenAPI document as text. */
export const clientTypes = async (document: string): Promise<string> =>
  head + astToString(await openapiTS(document));
