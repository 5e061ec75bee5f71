import { describe, expect, test } from 'vitest';
import { useFaultyStack } from '../support/faulty-stack.ts';
import { operations } from '../support/prepared-requests.ts';
import type { Answer } from '../support/send-request.ts';

const { faulty, tenant, ask } = useFaultyStack({ POWERTOOLS_IDEMPOTENCY_DISABLED: 'true' });

describe.each(operations)(
  '$name with a key, Powertools idempotency switched off',
  ({ prepare, route }) => {
    test('is one, at once and one after another, and says the same', async () => {
      const intent = await prepare(tenant);
      // Two of the operations approve: each intent has a key of its own.
      const askKeyed = async (): Promise<Answer> => {
        const answer = await ask(intent, intent.about);
        // A busy machine answers late; a client repeats the request with the same key.
        return answer.status === 503 || answer.status === 504 ? askKeyed() : answer;
      };

      const atOnce = await Promise.all(Array.from({ length: 5 }, askKeyed));
      const again = await askKeyed();
      const answers = [...atOnce, again];
      const reused = await ask(await prepare(tenant), intent.about);

      const records = faulty.dynamodb.seen.filter(({ body }) =>
        body.includes('in_progress_expiration'),
      );
      expect(records).toEqual([]);
      expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => route.status));
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(await intent.effects()).toHaveLength(1);
      expect([reused.status, reused.body.code]).toEqual([422, 'idempotency_key_reused']);
    });
  },
);
