import type { PresentedOffer } from '../../../functions/domain/offer.ts';
import type { PaymentRequest } from '../../../functions/domain/payment-request.ts';
import { fixtures, type Sandbox, sandboxManager } from '../../../functions/domain/sandbox.ts';
import { loadOffer } from '../../admin/load-offer.ts';
import { type Call, requireSuccess } from '../call.ts';
import { type Check, requireWorld } from '../check.ts';
import { eventually, expectEqual } from '../expect.ts';
import { Failure } from '../failure.ts';
import { approvePath, resendPath, sandboxesPath } from '../operations.ts';
import { newToken, type Tenant } from '../world.ts';

/** A page of the list. */
export interface Page {
  readonly sandboxes: Sandbox[];
  readonly cursor?: string;
}

const limitMs = 60_000;

/** Creates a sandbox, and checks what is known of it. */
export const createSandbox = async (
  call: Call,
  { token, workspace }: Tenant,
  name = 'Smoke test',
): Promise<Sandbox> => {
  const answer = await call('POST', sandboxesPath, { token, body: { name: ` ${name} ` } });
  const sandbox = requireSuccess<Sandbox>(answer, 201);
  const { name: given, status, workspace: owner } = sandbox;
  expectEqual('A new sandbox', [given, status, owner], [name, 'provisioning', workspace]);
  return sandbox;
};

/** The way of a sandbox from its creation to a test workspace that works. */
export const provisioning: Check = {
  name: 'sandbox',
  proves: 'a new sandbox becomes ready, with a test workspace that works',
  run: async (context) => {
    const { call } = context;
    const world = requireWorld(context);
    const created = await createSandbox(call, world.live, 'Smoke test: ready');
    const startedMs = Date.now();
    const ready = await eventually(`${created.id} is not ready`, limitMs, async () => {
      const answer = await call('GET', `${sandboxesPath}?limit=100`, { token: world.live.token });
      const { sandboxes } = requireSuccess<Page>(answer, 200);
      return sandboxes.find(({ id, status }) => id === created.id && status === 'ready');
    });
    const durationMs = Date.now() - startedMs;
    expectEqual('The sandbox', ready, { ...created, status: 'ready', updated: ready.updated });

    const { workspace, paymentRequest, offer } = fixtures(ready, ready.updated);
    const tenant = { workspace: workspace.id, account: workspace.account };
    const token = await newToken(world, tenant);
    const approval = { token, body: { approver: sandboxManager } };
    const approved = await call('POST', approvePath(paymentRequest.id), approval);
    expectEqual('Its approvals', requireSuccess<PaymentRequest>(approved, 200).approvals.length, 1);
    const resent = await call('POST', resendPath(offer.id), { token });
    expectEqual('Its attempts', requireSuccess<PresentedOffer>(resent, 200).delivery.attempts, 2);
    await eventually(`The mail of ${offer.id} is not simulated`, limitMs, async () => {
      const { last_attempt } = (await loadOffer(offer.id)).offer.delivery;
      return last_attempt?.status === 'simulated' ? true : undefined;
    });
    return `ready after ${(durationMs / 1000).toFixed(1)} s`;
  },
};

const walk = async (call: Call, token: string, query: string): Promise<string[][]> => {
  const pages: string[][] = [];
  for (let next = query; ; ) {
    const answer = await call('GET', `${sandboxesPath}?limit=2&${next}`, { token });
    const { sandboxes, cursor } = requireSuccess<Page>(answer, 200);
    pages.push(sandboxes.map(({ id }) => id));
    if (cursor === undefined) return pages;
    if (pages.length > 5) throw new Failure('The walk through five sandboxes does not end.');
    next = `cursor=${cursor}`;
  }
};

/** The list, page by page. */
export const paging: Check = {
  name: 'list',
  proves: 'the list is walked in both directions, and meets each sandbox once',
  run: async (context) => {
    const { call } = context;
    const { other } = requireWorld(context);
    const { token } = other;
    const empty = await call('GET', sandboxesPath, { token });
    expectEqual('The list of a new workspace', empty.body, { sandboxes: [] });
    const created = await Promise.all(Array.from({ length: 5 }, () => createSandbox(call, other)));
    const ids = created
      .map(({ id }) => id)
      .sort()
      .reverse();
    const [newest = '', , middle = '', , oldest = ''] = ids;
    const older = await walk(call, token, '');
    expectEqual('Pages of two', older, [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    const newer = await walk(call, token, `ending_before=${oldest}`);
    expectEqual('Pages before the oldest', newer, [ids.slice(2, 4), ids.slice(0, 2)]);
    const after = await walk(call, token, `starting_after=${middle}`);
    expectEqual('The page after the third', after, [ids.slice(3)]);
    const none = await walk(call, token, `ending_before=${newest}`);
    expectEqual('The page before the newest', none, [[]]);
    return undefined;
  },
};

/** What a single token can prove of the list. */
export const firstPages: Check = {
  name: 'cursor',
  proves: 'a page of the list leads to the next one',
  run: async ({ call, token }) => {
    const first = await call('GET', `${sandboxesPath}?limit=1`, { token });
    const { sandboxes, cursor } = requireSuccess<Page>(first, 200);
    if (cursor === undefined) return 'there is one page';
    const second = await call('GET', `${sandboxesPath}?limit=1&cursor=${cursor}`, { token });
    const [newest, next] = [sandboxes[0], requireSuccess<Page>(second, 200).sandboxes[0]];
    if (newest && next && next.id < newest.id) return undefined;
    throw new Failure(`After ${newest?.id} comes an older sandbox; got ${next?.id}.`);
  },
};
