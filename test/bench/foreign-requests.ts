import { type Route, routes } from '../../functions/domain/routes.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { requestTo } from '../support/events.ts';
import { newOffer, newTenant } from '../support/tenants.ts';
import { newApproved } from './approvals.ts';
import { inTurns } from './in-turns.ts';
import type { Part, Row } from './row.ts';
import { ratioOf, spreadOf } from './spread.ts';
import { figure } from './table.ts';
import type { World } from './world.ts';

const approvalCounts = [0, 1000, 10_000];
const usualRuns = 300;
const warmUps = 30;

/** Does the time of a 404 tell that somebody else has what was asked for? */
export const foreignRequests: Part = {
  name: 'foreign-requests',
  measure: async (world) => {
    world.progress("404 for what is another tenant's, against what does not exist");
    const owner = await newTenant();
    const rows: Row[] = [];
    for (const count of approvalCounts) {
      const { id } = await newApproved(owner, count);
      const what = `Approve another tenant's payment request that has ${count} approvals, against an unknown one`;
      rows.push(await compare(world, what, routes.approvePaymentRequest, id, 'ptr_'));
    }
    const { id } = await newOffer(owner.workspace);
    const what = "Resend another tenant's offer, against an unknown one";
    return [...rows, await compare(world, what, routes.resendOffer, id, 'ofr_')];
  },
};

const compare = async (
  world: World,
  what: string,
  route: Route,
  foreignId: string,
  prefix: string,
): Promise<Row> => {
  const tenant = await newTenant();
  const lambda = world.lambda(route.functionName);
  const ask = async (id: string) => {
    const body = route === routes.approvePaymentRequest ? { approver: tenant.manager } : undefined;
    const event = requestTo(route, { tenant, id, body });
    const begin = performance.now();
    const answer = await lambda.invoke(event);
    const tookMs = performance.now() - begin;
    const { statusCode } = answer as { statusCode: number };
    if (statusCode !== 404) throw new Error(`${what}: ${JSON.stringify(answer)}`);
    return tookMs;
  };
  const measures = {
    foreign: () => ask(foreignId),
    unknown: () => ask(`${prefix}${newOpaque()}`),
  };
  await inTurns(warmUps, measures);
  const { foreign, unknown } = await inTurns(world.runs(usualRuns), measures);
  await lambda.stop();
  return {
    what,
    measured: ratioOf(foreign, unknown),
    unit: '×',
    target: { most: 1.1 },
    note: `${figure(spreadOf(foreign).median)} against ${figure(spreadOf(unknown).median)} ms`,
  };
};
