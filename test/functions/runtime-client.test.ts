import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/domain/routes.ts';
import { sandboxItem, saveNewSandbox } from '../../functions/store/sandboxes.ts';
import { functionNames } from '../../lib/bundles/bundles.ts';
import {
  authorization,
  inserted,
  messages,
  outboxMessage,
  requestTo,
} from '../support/function-events.ts';
import { waitingSandbox } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { useFunctions } from '../support/use-functions.ts';
import { runtimeClient, startInRuntimeClient } from './runtime-client.ts';

const { settingsOf, tenant } = await useFunctions();
const { workspace } = tenant;

const none = { batchItemFailures: [] };

const sandbox = waitingSandbox(workspace);
await saveNewSandbox(sandbox, author);

/** Events as AWS sends them, and members of the answers. Any other function gets an empty event. */
const recorded: Readonly<Record<string, readonly [event: object, answer: object]>> = {
  authorize: [
    authorization(routes.listSandboxes, `Bearer ${tenant.token}`),
    { principalId: workspace },
  ],
  'create-sandbox': [
    requestTo(routes.createSandbox, { tenant, key: randomUUID(), body: { name: 'Sandbox' } }),
    { statusCode: 201 },
  ],
  'publish-events': [inserted({ ...sandboxItem(sandbox), author }), none],
  'provision-sandbox': [messages(outboxMessage('Provisioning', sandbox)), none],
};

describe.skipIf(!runtimeClient)("in AWS's runtime client", () => {
  test.each(functionNames.filter((name) => name !== 'load-version'))('%s answers', async (name) => {
    const version = await startInRuntimeClient(settingsOf(name));
    const [event, answer] = recorded[name] ?? [{}, null];
    expect(await version.invoke(event)).toEqual(answer && expect.objectContaining(answer));
  });
});
