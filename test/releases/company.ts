import { routes } from '../../functions/domain/routes.ts';
import type { OperationId, OperationRequest } from '../../lib/openapi/operation.ts';
import { requestOf } from '../../lib/openapi/operations.ts';
import type { FaultyService } from '../support/faulty-service.ts';
import { type Answer, sendOperation } from '../support/send-request.ts';
import type { KeyedRequest, SavedAnswer } from './frozen.ts';

/** Runs the operators' command line. @returns what it printed, with `--json` parsed */
// biome-ignore lint/suspicious/noExplicitAny: each command prints its own members.
export type Admin = (...args: string[]) => Promise<any>;

/** A service that runs, with what works on it. */
export interface ReleaseStage {
  readonly service: FaultyService;
  readonly admin: Admin;
  /** For files that commands read. */
  readonly directory: string;
}

/** The company whose history it is. */
export interface Company {
  readonly workspace: string;
  readonly account: string;
  readonly manager: string;
  readonly tokens: Readonly<Record<'live' | 'readOnly' | 'revoked' | 'expired', string>>;
}

/** Options of a token that does not end while releases are kept. */
export const lasting = ['--expires', '2999-01-01T00:00:00Z'];
/** Longer than a command takes on a busy machine, and shorter than a history. */
const expiresAfterMs = 60_000;

/** Creates the company with a token of each kind, a removed manager, and one who is added again. */
export const createCompany = async ({ admin }: ReleaseStage): Promise<Company> => {
  const { id: account } = await admin('account', 'create', '--name', 'Frozen Ltd', '--json');
  const owner = ['--account', account];
  const { id: workspace } = await admin(
    'workspace',
    'create',
    ...owner,
    '--name',
    'Live',
    '--json',
  );
  const { id: manager } = await admin('manager', 'add', ...owner, '--json');
  const { id: removed } = await admin('manager', 'add', ...owner, '--json');
  const { id: back } = await admin('manager', 'add', ...owner, '--json');
  for (const id of [removed, back]) await admin('manager', 'remove', id, ...owner, '--yes');
  await admin('manager', 'add', back, ...owner);
  const issue = async (...args: string[]): Promise<string> =>
    (await admin('token', 'issue', '--workspace', workspace, ...args, '--json')).token;
  const tokens = {
    live: await issue('--name', 'Payroll', ...lasting),
    readOnly: await issue('--scopes', 'sandboxes:read', ...lasting),
    revoked: await issue(...lasting),
    expired: await issue('--expires', new Date(Date.now() + expiresAfterMs).toISOString()),
  };
  await admin('token', 'revoke', tokens.revoked, '--yes');
  return { workspace, account, manager, tokens };
};

/** A client of the company. */
export interface Client {
  /** Sends a request, with the token of the company unless another is given. */
  readonly send: (
    operation: OperationId,
    target: object,
    sender?: { readonly key?: string; readonly token?: string },
  ) => Promise<Answer>;
  /** Sends a request with a key, and keeps its answer. */
  readonly sendKeyed: (operation: OperationId, target: object, key: string) => Promise<void>;
  /** Sends a request with a key again, and keeps the answer that it gets now. */
  readonly sendAgain: (key: string) => Promise<void>;
  readonly answers: () => readonly SavedAnswer[];
}

/** A client whose requests all succeed. */
export const clientOf = ({ service }: ReleaseStage, { tokens }: Company): Client => {
  const answers = new Map<string, SavedAnswer>();
  const sendRequest = async (
    operation: OperationId,
    request: OperationRequest,
    { key, token = tokens.live }: Parameters<Client['send']>[2] = {},
  ): Promise<Answer> => {
    const route = routes[operation];
    const sender = { token, ...(key !== undefined && { key }) };
    const answer = await sendOperation(service.stack.url ?? '', route, request, sender);
    if (answer.status !== route.status) throw new Error(`${route.path}: ${answer.text}`);
    return answer;
  };
  const keep = async (sent: KeyedRequest) => {
    const { status, text } = await sendRequest(sent.operation, sent, sent);
    answers.set(sent.key, { ...sent, status, text });
  };
  return {
    answers: () => [...answers.values()],
    send: (operation, target, sender) =>
      sendRequest(operation, requestOf(operation, target), sender),
    sendKeyed: (operation, target, key) =>
      keep({ operation, ...requestOf(operation, target), token: tokens.live, key }),
    sendAgain: async (key) => {
      const sent = answers.get(key);
      if (sent) await keep(sent);
    },
  };
};
