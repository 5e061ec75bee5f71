import { type TokenMode, tokenSecretLength, tokenText } from '../domain/token-form.ts';

/** Has the form of a real token, which the API checks before it looks for it. */
const demoToken = (mode: TokenMode, name: string) =>
  tokenText(mode, name.padEnd(tokenSecretLength, '0'));

/**
 * The data of the local run by name, which the examples use. The names, tokens included, are fixed,
 * so that an example can be copied; these tokens exist on no machine but the one that runs the
 * service.
 */
export const demo = {
  tokens: {
    live: demoToken('live', 'demo'),
    other: demoToken('live', 'other'),
    test: demoToken('test', 'demo'),
    expired: demoToken('live', 'expired'),
    no_scopes: demoToken('live', 'no_scopes'),
  },
  workspaces: { live: 'wsp_demo', other: 'wsp_other' },
  managers: {
    live: ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'],
    other: ['33333333-3333-4333-8333-333333333333'],
  },
  payment_requests: {
    pending: 'ptr_pending',
    approved: 'ptr_approved',
    paid: 'ptr_paid',
    other: 'ptr_other',
  },
  offers: {
    sent: 'ofr_sent',
    draft: 'ofr_draft',
    accepted: 'ofr_accepted',
    other: 'ofr_other',
    bouncing: 'ofr_bouncing',
  },
} as const;
