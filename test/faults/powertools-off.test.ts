import { describe, expect, test } from 'vitest';
import { useFaultyStack } from '../support/faulty-stack.ts';
import type { Answer } from '../support/http.ts';
import { operations } from '../support/operations.ts';

const { faulty, tenant, ask } = useFaultyStack({ POWERTOOLS_IDEMPOTENCY_DISABLED: 'true' });

describe.each(operations)(
  '$name with a key, Powertools idempotency switched off',
  ({ prepare, status }) => {
    test('is one, at once and one after another, and says the same', async () => {
      const intent = await prepare(tenant);
      // Two of the operations approve: each intent has a key of its own.
      const askKeyed = async (): Promise<Answer> => {
        const answer = await ask(intent, intent.about);
        // A machine that is busy with other things answers late; with the same key, a client asks
        // again.
        return answer.status === 503 || answer.status === 504 ? askKeyed() : answer;
      };

      const atOnce = await Promise.all(Array.from({ length: 5 }, askKeyed));
      const answers = [...atOnce, await askKeyed()];

      const records = faulty.dynamodb.seen.filter(({ body }) =>
        body.includes('in_progress_expiration'),
      );
      expect(records).toEqual([]);
      expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status));
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect(await intent.effects()).toHaveLength(1);
    });
  },
);
