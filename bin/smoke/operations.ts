import { type Route, routes } from '../../functions/domain/routes.ts';
import type { Sent } from './call.ts';

/** A request of each operation that is right but for what it names, which exists nowhere. */
export const operations: readonly {
  readonly route: Route;
  readonly path: string;
  readonly sent: Sent;
}[] = [
  {
    route: routes.approvePaymentRequest,
    path: '/v1/payment-requests/ptr_smoke_none/approve',
    sent: { body: { approver: '00000000-0000-4000-8000-000000000000' } },
  },
  { route: routes.createSandbox, path: '/v1/sandboxes', sent: { body: { name: 'Smoke test' } } },
  { route: routes.listSandboxes, path: '/v1/sandboxes', sent: {} },
  { route: routes.resendOffer, path: '/v1/offers/ofr_smoke_none/resend', sent: {} },
];

/** Those that take a body. */
export const posts = operations.filter(({ route }) => route.method === 'POST');

/** The path on which a payment request is approved. */
export const approvePath = (id: string) => routes.approvePaymentRequest.path.replace('{id}', id);

/** The path on which an offer is sent again. */
export const resendPath = (id: string) => routes.resendOffer.path.replace('{id}', id);

/** The path on which sandboxes are created and listed. */
export const sandboxesPath = routes.listSandboxes.path;

/** A sandbox that exists nowhere. */
export const unknownSandbox = `sbx_${'0'.repeat(26)}`;
