import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import { newAuthor } from '../../../functions/domain/author.ts';
import { routes, scopes } from '../../../functions/domain/routes.ts';
import { newOpaque } from '../../../functions/runtime/stamp.ts';
import { tokenItem } from '../../../functions/store/tokens.ts';
import { authorization } from '../../support/function-events.ts';
import { newTenantIds } from '../../support/tenants.ts';
import type { Prepared } from '../engine/case.ts';
import type { Task } from '../engine/steps.ts';

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
  const reports: { letter: string; isRevoked: unknown; to: number }[] = [];
  let allowedFrom = -1;
  const operator = (letter: string): Task => ({
    letter,
    run: async (invoke, steps) => {
      const act = { ...newAuthor('operator:test', `run_${letter}`), at: created };
      const isRevoked = await invoke('revoke', { key: { pk, sk }, act }).catch(() => undefined);
      if (isRevoked !== undefined) reports.push({ letter, isRevoked, to: steps.length });
    },
  });
  const client: Task = {
    letter: 'A',
    run: async (invoke, steps) => {
      const event = authorization(routes.createSandbox, `Bearer ${secret}`);
      const response = (await invoke('authorize', event).catch(() => undefined)) as
        | APIGatewayAuthorizerResult
        | undefined;
      const [statement] = response?.policyDocument.Statement ?? [];
      if (statement?.Effect === 'Allow') allowedFrom = steps.findIndex(({ task }) => task === 'A');
    },
  };
  return {
    items: [item],
    tasks: [client, operator('B'), operator('C')],
    verdict: ({ items, steps }) => {
      const [token] = items as { revoked?: { request: string } }[];
      const kept = token?.revoked?.request;
      const wrong = reports
        .filter(({ letter, isRevoked }) => isRevoked !== (kept === `run_${letter}`))
        .map(({ letter, isRevoked }) => `${letter} reports ${isRevoked}, and ${kept} is kept`);
      if (reports.some(({ isRevoked, to }) => isRevoked && to <= allowedFrom)) {
        wrong.push('a revoked token is accepted');
      }
      if (!kept && steps.every(({ ending }) => ending === 'done')) wrong.push('it is not revoked');
      return wrong;
    },
  };
};
