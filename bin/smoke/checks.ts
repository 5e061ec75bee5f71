import type { Check } from './check.ts';
import { approvals } from './checks/approvals.ts';
import { idempotency } from './checks/idempotency.ts';
import { mailChecks, offers } from './checks/offers.ts';
import { refusals } from './checks/refusals.ts';
import { firstPages, paging, provisioning } from './checks/sandboxes.ts';
import { tenancy } from './checks/tenancy.ts';
import { cachedRevocation, tokens } from './checks/tokens.ts';
import { trail } from './checks/trail.ts';

/** Everything that the smoke test proves. What waits comes first, because checks run side by side. */
export const checks: readonly Check[] = [
  cachedRevocation,
  ...mailChecks,
  provisioning,
  paging,
  tenancy,
  ...trail,
  ...approvals,
  ...offers,
  ...idempotency,
  ...tokens,
  firstPages,
  ...refusals,
];
