import { onTestFinished } from 'vitest';
import { clientSettings } from '../dynamodb/client-settings.ts';

/** A client of the SDK for a server of the engine. It ends with the test. */
export const clientOf = <Client extends { readonly destroy: () => void }>(
  ServiceClient: new (settings: ReturnType<typeof clientSettings>) => Client,
  endpoint: string,
): Client => {
  const client = new ServiceClient(clientSettings(endpoint));
  onTestFinished(() => client.destroy());
  return client;
};
