import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import { redactionItems } from '../../bin/admin/table/redactions.ts';
import { newAuthor } from '../../functions/domain/author.ts';
import { routes, scopes } from '../../functions/domain/routes.ts';
import { claimKey } from '../../functions/idempotency/intent.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { keys } from '../../functions/store/keys.ts';
import { tokenItem } from '../../functions/store/tokens.ts';
import { authorization } from '../support/function-events.ts';
import { approve, type KeyedOperation } from '../support/keyed-operations.ts';
import { newTenantIds } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import type { Prepared } from './case.ts';
import { approveTarget, clients, keyed } from './clients.ts';
import type { Invoke, Task } from './steps.ts';

/**
 * A keyed approve beside the redaction of its payment request; and when requests are over, its
 * retry beside the redaction of its answer. What breaks off is done again at the end.
 */
export const redacted = (): Prepared => {
  const target = approveTarget('approved');
  const data = 'INV-1';
  const tenant = newTenantIds();
  const { workspace } = tenant;
  const sent = [keyed, { ...keyed, isLater: true }];
  const prepared = clients({ ...target, operation: redactedApprove }, sent, tenant);
  const { last, tasks, verdict, tries } = prepared;
  const { id = '' } = target.request({});
  const redactions = redactionItems(workspace, [id], author);
  const intent = { workspace, operation: target.operation.route.functionName, key: 'k' };
  const places = [keys.paymentRequest(id), claimKey(intent)];
  const redact = (invoke: Invoke, key: object | undefined) =>
    invoke('redact', { key, redactions }).catch(() => false);
  const done: unknown[] = [];
  const operator = (letter: string, key: object | undefined): Task => ({
    letter,
    run: async (invoke) => {
      done.push(await redact(invoke, key));
    },
  });
  return {
    ...prepared,
    tasks: [
      ...tasks,
      operator('C', places[0]),
      { ...operator('D', places[1]), startsAfter: 'time' },
    ],
    last: {
      letter: 'Z',
      run: async (invoke, steps) => {
        if (!done.every(Boolean)) for (const key of places) await redact(invoke, key);
        await last?.run(invoke, steps);
      },
    },
    verdict: (aftermath) => [
      ...verdict(aftermath),
      ...aftermath.items
        .filter((item) => JSON.stringify(item).includes(data))
        .map(({ type }) => `the data are left in ${type}`),
      ...(tries.at(-1)?.text.includes(data) ? ['the data are answered'] : []),
    ],
  };
};

/** Its replay is the first answer without the data, or with them until it is redacted. */
const redactedApprove: KeyedOperation = {
  ...approve,
  keeps: (text) =>
    JSON.stringify({ ...JSON.parse(text || '{}'), reference: '', note: '', documents: '' }),
};

/** A client whose token two operators revoke. */
export const revoked = (): Prepared => {
  const tenant = newTenantIds();
  const secret = `wfp_live_${newOpaque()}`;
  const id = `tok_${newOpaque()}`;
  const created = new Date().toISOString();
  const expires_at = '2999-01-01T00:00:00.000Z';
  const all = scopes.join(' ');
  const item = tokenItem(secret, { id, ...tenant, scopes: all, expires_at, created });
  const { pk, sk } = item;
  const revokedBy: { letter: string; to: number }[] = [];
  const refused: string[] = [];
  const allowedFrom: number[] = [];
  const operator = (letter: string): Task => ({
    letter,
    run: async (invoke, steps) => {
      const act = { ...newAuthor('operator:test', `run_${letter}`), at: created };
      const isRevoked = await invoke('revoke', { key: { pk, sk }, act }).catch(() => undefined);
      if (isRevoked) revokedBy.push({ letter, to: steps.length });
      if (isRevoked === false) refused.push(letter);
    },
  });
  const client: Task = {
    letter: 'A',
    run: async (invoke, steps) => {
      const event = authorization(routes.createSandbox, `Bearer ${secret}`);
      const answer = (await invoke('authorize', event).catch(() => undefined)) as
        | APIGatewayAuthorizerResult
        | undefined;
      const [statement] = answer?.policyDocument.Statement ?? [];
      if (statement?.Effect !== 'Allow') return;
      allowedFrom.push(steps.findIndex(({ task }) => task === 'A'));
    },
  };
  return {
    items: [{ ...item, author }],
    tasks: [client, operator('B'), operator('C')],
    tries: [],
    verdict: ({ items, steps }) => {
      const [token] = items as { revoked?: { request: string } }[];
      const isDisturbed = steps.some(({ ending }) => ending !== 'done');
      const wrong: string[] = [];
      for (const from of allowedFrom) {
        if (revokedBy.some(({ to }) => to <= from)) wrong.push('a revoked token is accepted');
      }
      if (revokedBy.length > 1) wrong.push('it is revoked twice');
      if (revokedBy.length === 0 && !isDisturbed) wrong.push('it is not revoked');
      const [first] = revokedBy;
      if (first && token?.revoked?.request !== `run_${first.letter}`) {
        wrong.push(`${first.letter} has revoked it, and ${token?.revoked?.request} is kept`);
      }
      for (const letter of refused) {
        if (token?.revoked?.request !== `run_${letter}`) continue;
        wrong.push(`${letter} has revoked it, and reports that another one has`);
      }
      return wrong;
    },
  };
};
