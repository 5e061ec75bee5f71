import { newOpaque } from '../../functions/runtime/identity.ts';
import { requestTo } from '../support/function-events.ts';
import { approve, type KeyedOperation, resend } from '../support/keyed-operations.ts';
import { newOffer, newTenant } from '../support/tenants.ts';
import { newApproved } from './approvals.ts';
import { comparisonOf, inTurns } from './in-turns.ts';
import type { Part, Row } from './row.ts';
import { timeAnswer } from './scenarios.ts';
import type { Bench } from './start-bench.ts';

const approvalCounts = [0, 1000, 10_000];
const usualRuns = 300;
const warmUps = 30;

/** Does the time of a 404 tell that somebody else has what was asked for? */
export const foreignRequests: Part = {
  name: 'foreign-requests',
  measure: async (bench) => {
    bench.progress("404 for what is another tenant's, against what does not exist");
    const owner = await newTenant();
    const rows: Row[] = [];
    for (const count of approvalCounts) {
      const { id } = await newApproved(owner, count);
      const what = `Approve another tenant's payment request that has ${count} approvals, against an unknown one`;
      rows.push(await compare(bench, what, approve, id, 'ptr_'));
    }
    const { id } = await newOffer(owner.workspace);
    const what = "Resend another tenant's offer, against an unknown one";
    return [...rows, await compare(bench, what, resend, id, 'ofr_')];
  },
};

const compare = async (
  bench: Bench,
  what: string,
  { route, request }: KeyedOperation,
  foreignId: string,
  prefix: string,
): Promise<Row> => {
  const tenant = await newTenant();
  const lambda = bench.lambda(route.functionName);
  const ask = async (id: string) => {
    const { manager } = tenant;
    const event = requestTo(route, { tenant, ...request({ id, manager }) });
    const { tookMs, answer } = await timeAnswer(lambda, event);
    if (answer.statusCode !== 404) throw new Error(`${what}: ${JSON.stringify(answer)}`);
    return tookMs;
  };
  const measures = {
    foreign: () => ask(foreignId),
    unknown: () => ask(`${prefix}${newOpaque()}`),
  };
  const { foreign, unknown } = await inTurns(bench.runs(usualRuns), measures, warmUps);
  await lambda.stop();
  return comparisonOf(what, foreign, unknown, 1.1);
};
