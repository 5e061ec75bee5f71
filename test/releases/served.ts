import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { scanType } from '../../bin/admin/table/scan.ts';
import { stackFileOf } from '../../bin/local-run/stack-file.ts';
import { outbox } from '../../functions/domain/outbox.ts';
import { routes } from '../../functions/domain/routes.ts';
import type { OperationId, OperationRequest } from '../../lib/openapi/operation.ts';
import { type CommandRun, file, runCommand } from '../admin/run-admin.ts';
import type { FaultyService } from '../support/faulty-service.ts';
import { startServiceOfFile } from '../support/faulty-stack.ts';
import { developmentTemplate, functionsOf } from '../support/read-template.ts';
import { type Answer, type RequestContent, sendOperation } from '../support/send-request.ts';
import { waitUntil } from '../support/wait-until.ts';
import { cursorSecretOf } from './cursor-secret.ts';
import { readData } from './data.ts';
import type { Frozen } from './frozen.ts';
import { loadTable } from './load-table.ts';

/** Today's service, with what a release has left. */
export interface Served {
  readonly frozen: Frozen;
  readonly service: FaultyService;
  readonly send: (
    operation: OperationId,
    request: OperationRequest,
    sender?: Pick<RequestContent, 'token' | 'key'>,
  ) => Promise<Answer>;
  /** Invokes the function that is deployed from `functions/<name>.ts`. */
  readonly invoke: (name: string, event: unknown) => Promise<unknown>;
  /** Runs the operators' command line, which is in a file, on the service. */
  readonly admin: (script: string, ...args: readonly string[]) => Promise<CommandRun>;
}

/** Starts it, and waits until it has done what the release left to do. */
export const serveRelease = async (version: string): Promise<Served> => {
  const frozen = readData(version);
  const service = await startServiceOfFile();
  const { url = '', endpoints, functions } = service.stack;
  const secrets = new SecretsManagerClient({ endpoint: endpoints.secretsmanager });
  const { ARN: SecretId } = await cursorSecretOf(secrets);
  const SecretString = frozen.cursorSecret;
  await secrets.send(new PutSecretValueCommand({ SecretId, SecretString }));

  await loadTable(frozen);
  for (const { type, status } of Object.values(outbox)) {
    await waitUntil(async () => (await Array.fromAsync(scanType(type, { status }))).length === 0);
  }

  const stackFile = file('stack.json', JSON.stringify(stackFileOf(service.stack, url)));
  const logicalIds = functionsOf(developmentTemplate());
  return {
    frozen,
    service,
    send: (operation, request, sender = { token: frozen.tokens.live }) =>
      sendOperation(url, routes[operation], request, sender),
    invoke: async (name, event) => {
      const [logicalId = ''] = logicalIds.get(name) ?? [];
      return functions.get(logicalId)?.invoke(event);
    },
    admin: (script, ...args) => runCommand(script, args, stackFile),
  };
};
