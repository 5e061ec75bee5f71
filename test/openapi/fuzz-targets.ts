import { call } from '../support/http.ts';
import {
  newManager,
  newOffer,
  newPaymentRequest,
  newSandboxes,
  newTenant,
  newToken,
} from '../support/tenants.ts';

/** What exists to be asked for, so that requests go further than to the first refusal. */
export interface FuzzTargets {
  /** Tokens that may do everything, and tokens that may not. */
  readonly tokens: { readonly good: readonly string[]; readonly bad: readonly string[] };
  readonly managers: readonly string[];
  /** By the operation that takes it in its path. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
  readonly sandboxes: readonly string[];
  readonly cursors: readonly string[];
}

/** A company with something in every state, its neighbour, and one of its test workspaces. */
export const newFuzzTargets = async (): Promise<FuzzTargets> => {
  const [tenant, other] = [await newTenant(), await newTenant()];
  const { workspace, account, token } = tenant;
  const sandboxes = await newSandboxes(workspace, 25);
  const pages = await Promise.all(
    ['limit=1', 'limit=5', `limit=2&ending_before=${sandboxes[0]?.id}`].map((query) =>
      call('GET', `/v1/sandboxes?${query}`, { token }),
    ),
  );
  const theirs = {
    request: await newPaymentRequest(other.workspace),
    offer: await newOffer(other.workspace),
  };
  const requests = ['draft', 'pending', 'approved', 'rejected', 'paid', 'cancelled'] as const;
  const offers = ['draft', 'sent', 'accepted', 'declined', 'expired', 'voided'] as const;
  const idsOf = async (made: Promise<{ id: string }>[]) =>
    (await Promise.all(made)).map(({ id }) => id);
  return {
    tokens: {
      good: [token],
      bad: [
        other.token,
        await newToken({ workspace, account }, { allowed: '' }),
        await newToken({ workspace, account }, { expires_at: '2020-01-01T00:00:00.000Z' }),
        await newToken({ workspace: `wsp_test_${workspace.slice(4)}`, account }),
        `wfp_live_${'x'.repeat(43)}`,
      ],
    },
    managers: [tenant.manager, await newManager(account), tenant.manager.toUpperCase()],
    ids: {
      approvePaymentRequest: [
        ...(await idsOf(requests.map((status) => newPaymentRequest(workspace, { status })))),
        theirs.request.id,
      ],
      resendOffer: [
        ...(await idsOf(offers.map((status) => newOffer(workspace, { status })))),
        theirs.offer.id,
      ],
    },
    sandboxes: sandboxes.map(({ id }) => id),
    cursors: pages.map(({ body }) => body.cursor),
  };
};
