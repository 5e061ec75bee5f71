import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import { authorization } from '../../../bin/testing/function-events.ts';
import { newTenantIds } from '../../../bin/testing/tenants.ts';
import { author } from '../../../bin/testing/test-author.ts';
import { newAuthor } from '../../../functions/domain/author.ts';
import { routes, scopes } from '../../../functions/domain/routes.ts';
import { newOpaque } from '../../../functions/runtime/identity.ts';
import { tokenItem } from '../../../functions/store/tokens.ts';
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
      const response = (await invoke('authorize', event).catch(() => undefined)) as
        | APIGatewayAuthorizerResult
        | undefined;
      const [statement] = response?.policyDocument.Statement ?? [];
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
