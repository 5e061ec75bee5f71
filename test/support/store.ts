import { stayOnThisMachine } from '../../bin/command-line/stay-on-this-machine.ts';
import { type LocalService, localEnvironment } from '../../bin/stack-file/local-environment.ts';
import { dynamodb } from '../../functions/store/client.ts';
import type { ObservingHandler } from '../../functions/store/observing-handler.ts';

/**
 * The store of a test waits for DynamoDB as long as the test does: it prepares and looks, and no
 * test is about its own patience. The deployed functions keep the timeouts that they have.
 */
const handler = dynamodb.config.requestHandler as ObservingHandler;
handler.updateHttpClientConfig('connectionTimeout', 120_000);
handler.updateHttpClientConfig('requestTimeout', 120_000);

/** Points the store at a service. Test files that share a process share the store's client. */
export const useStoreOf = (service: LocalService): void => {
  stayOnThisMachine();
  Object.assign(process.env, localEnvironment(service));
  const { protocol, hostname, port } = new URL(service.endpoints.dynamodb);
  dynamodb.config.endpoint = async () => ({ protocol, hostname, port: Number(port), path: '/' });
  dynamodb.config.isCustomEndpoint = true;
};
