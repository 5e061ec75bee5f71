/**
 * The public endpoints. The stack makes one Lambda, one method and one set of permissions from each
 * row; the function itself reads its scope and its success status from the same row.
 */
export const routes = {
  approvePaymentRequest: {
    functionName: 'approve-payment-request',
    method: 'POST',
    path: '/v1/payment-requests/{id}/approve',
    scope: 'payment_requests:approve',
    status: 200,
    workspaces: 'any',
  },
  createSandbox: {
    functionName: 'create-sandbox',
    method: 'POST',
    path: '/v1/sandboxes',
    scope: 'sandboxes:write',
    status: 201,
    workspaces: 'live',
  },
  listSandboxes: {
    functionName: 'list-sandboxes',
    method: 'GET',
    path: '/v1/sandboxes',
    scope: 'sandboxes:read',
    status: 200,
    workspaces: 'live',
  },
  resendOffer: {
    functionName: 'resend-offer',
    method: 'POST',
    path: '/v1/offers/{id}/resend',
    scope: 'offers:resend',
    status: 200,
    workspaces: 'any',
  },
} as const satisfies Record<string, Route>;

export interface Route {
  readonly functionName: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly scope: string;
  readonly status: number;
  /** Which workspaces' tokens may call it: sandboxes belong to live workspaces alone. */
  readonly workspaces: 'any' | 'live';
}

export const scopes: readonly string[] = Object.values(routes).map(({ scope }) => scope);
