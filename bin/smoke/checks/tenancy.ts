import { type Answer, requireProblem, requireSuccess } from '../call.ts';
import { type Check, requireWorld } from '../check.ts';
import { expectEqual } from '../expect.ts';
import { approvePath, resendPath, sandboxesPath, unknownSandbox } from '../operations.ts';
import { newOffer, newPaymentRequest } from '../world.ts';
import { createSandbox, type Page } from './sandboxes.ts';

/** Everything of a problem but the request's own id. */
const withoutId = ({ status, body }: Answer) => ({ status, ...(body as object), request_id: '' });

/** What one workspace learns of another: nothing. */
export const tenancy: Check = {
  name: 'tenancy',
  proves: 'what belongs to another workspace is answered as if it did not exist',
  run: async (context) => {
    const { call } = context;
    const world = requireWorld(context);
    const { live, other } = world;
    const [request, offer, sandbox] = await Promise.all([
      newPaymentRequest(world, live),
      newOffer(world, live),
      createSandbox(call, live),
      createSandbox(call, live),
    ]);
    const approve = (id: string) =>
      call('POST', approvePath(id), {
        token: other.token,
        body: { approver: other.manager },
      });
    const resend = (id: string) => call('POST', resendPath(id), { token: other.token });
    const list = (query: string) =>
      call('GET', `${sandboxesPath}?${query}`, { token: other.token });

    for (const [theirs, unknown] of [
      [await approve(request.id), await approve('ptr_smoke_none')],
      [await resend(offer.id), await resend('ofr_smoke_none')],
      [await list(`starting_after=${sandbox.id}`), await list(`starting_after=${unknownSandbox}`)],
      [await list(`ending_before=${sandbox.id}`), await list(`ending_before=${unknownSandbox}`)],
    ] as const) {
      if (theirs.status < 400) requireProblem(theirs, 'route_not_found');
      expectEqual(`${theirs.request} by a stranger`, withoutId(theirs), withoutId(unknown));
    }
    const page = await call('GET', `${sandboxesPath}?limit=1`, { token: live.token });
    const { cursor } = requireSuccess<Page>(page, 200);
    requireProblem(await list(`cursor=${cursor}`), 'invalid_cursor');
    return undefined;
  },
};
