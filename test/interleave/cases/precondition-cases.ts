import { approve, isSuccess } from '../../support/keyed-operations.ts';
import { requestRecord } from '../../support/records.ts';
import type { Item } from '../engine/case.ts';
import type { Step } from '../engine/steps.ts';
import { type ClientRequest, targetOf } from './clients.ts';
import type { Try } from './contract-model.ts';
import { putsOf } from './pipeline.ts';
import { beside } from './record-cases.ts';

const amounts: Readonly<Record<number, string>> = { 7: '1250.00', 8: '9.00' };

/** Approvals of version 7 of a request, and a message with version 8, which changes the amount. */
export const approveSeen = (status: 'pending' | 'approved', ...sent: readonly ClientRequest[]) =>
  beside(
    () => targetOf(approve, { status, version: 7, amount: amounts[7] }),
    (id) => ({
      version: 8,
      payment_request: requestRecord({
        id,
        amount: amounts[status === 'pending' ? 8 : 7],
      }),
    }),
    ({ tries }, items, steps) => {
      const ifMatchOf = ({ author }: Item) =>
        sent[(author as { request: string }).request.charCodeAt('request-'.length) - 65]?.ifMatch;
      const approvals = items.filter(({ type }) => type === 'APPROVAL');
      const late = committed(steps).filter(
        ({ approval, current }) => ifMatchOf(approval) && approval.version !== current,
      );
      const unseen = approvals.filter((approval) => {
        const tags = ifMatchOf(approval)?.split(', ');
        return tags && !tags.includes(`"${approval.version}"`);
      });
      const shown = tries.filter(isSuccess).map(({ text }) => JSON.parse(text));
      const others = shown.filter(({ amount, approvals: ids }) => {
        const version = approvals.find(({ id }) => id === ids.at(-1))?.version;
        return status === 'pending' && amount !== amounts[Number(version)];
      });
      const intentOf = ({ key, request }: Try) => `${key} ${request}`;
      const refused = tries.filter((each) => each.status === 412).map(intentOf);
      const followed = tries.filter((each) => isSuccess(each) && refused.includes(intentOf(each)));
      return [
        ...late.map(({ approval, current }) => `${approval.version} is approved as ${current}`),
        ...unseen.map(({ version }) => `${version} is approved, which nobody saw`),
        ...others.map(({ amount }) => `the amount of another version is shown: ${amount}`),
        ...followed.map(({ key }) => `the key ${key} is refused, and has an effect`),
      ];
    },
    sent,
  );

/** The approvals that the steps have committed, each with the version that was current then. */
const committed = (steps: readonly Step[]) => {
  const found = new Map<unknown, { readonly approval: Item; readonly current: number }>();
  let current = 7;
  for (const { call, response } of steps) {
    if (call?.service !== 'dynamodb' || response?.statusCode !== 200) continue;
    current = Number(call.input.ExpressionAttributeValues?.[':version']?.N ?? current);
    for (const approval of putsOf(call.input)) {
      // A repeated token gets like the first time.
      if (approval.type !== 'APPROVAL' || found.has(approval.id)) continue;
      found.set(approval.id, { approval, current });
    }
  }
  return [...found.values()];
};
