import { onTestFinished } from 'vitest';
import { credentials, region } from '../aws-account.ts';

interface Settings {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: typeof credentials;
}

/** A client of the SDK for a server of the engine. It ends with the test. */
export const clientOf = <Client extends { readonly destroy: () => void }>(
  ServiceClient: new (settings: Settings) => Client,
  endpoint: string,
): Client => {
  const client = new ServiceClient({ endpoint, region, credentials });
  onTestFinished(() => client.destroy());
  return client;
};
