import { dynamodb } from '../../functions/store/client.ts';
import type { DeadlineHandler } from '../../functions/store/deadline.ts';

/**
 * The store of a test waits for DynamoDB as long as the test does: it prepares and looks, and no
 * test is about its own patience. The deployed functions keep the timeouts that they have.
 */
const handler = dynamodb.config.requestHandler as DeadlineHandler;
handler.updateHttpClientConfig('connectionTimeout', 120_000);
handler.updateHttpClientConfig('requestTimeout', 120_000);
