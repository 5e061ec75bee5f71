import * as z from 'zod/mini';
import { SandboxId, TestWorkspaceId, Timestamp, WorkspaceId } from './identifiers.ts';
import { type DeliveryAttempt, newDeliveryAttempt, type Offer } from './offer.ts';
import type { Manager, PaymentRequest } from './payment-request.ts';
import { faultParams } from './problem.ts';
import { Name, storedText } from './text.ts';
import type { Workspace } from './workspace.ts';

/** An isolated test workspace of a live workspace, as the contract shows it. */
export const Sandbox = z.object({
  id: SandboxId,
  name: storedText(1, 255),
  status: z.enum(['provisioning', 'ready']),
  workspace: WorkspaceId,
  sandbox_workspace: TestWorkspaceId,
  created: Timestamp,
  updated: Timestamp,
});
export type Sandbox = z.infer<typeof Sandbox>;

export const CreateSandbox = z.strictObject({
  name: z.pipe(z.string().check(z.trim()), Name),
});
export type CreateSandbox = z.infer<typeof CreateSandbox>;

const anchor = z.string().check(
  z.refine((id) => SandboxId.safeParse(id).success, {
    error: 'No such sandbox in this workspace.',
    params: faultParams('resource_missing'),
  }),
);

/** The list's query. Query parameters are text: `limit` is read from its one decimal spelling. */
export const ListSandboxes = z
  .strictObject({
    limit: z.pipe(
      z
        ._default(z.string(), '10')
        .check(z.regex(/^([1-9]\d?|100)$/, 'Must be a whole number from 1 to 100.')),
      z.transform(Number),
    ),
    cursor: z.optional(
      z.string().check(
        z.refine((cursor) => /^[\w-]{1,512}$/.test(cursor), {
          error: 'Must be the cursor of an earlier page of this list.',
          params: faultParams('invalid_cursor'),
        }),
      ),
    ),
    starting_after: z.optional(anchor),
    ending_before: z.optional(anchor),
  })
  .check(({ value, issues }) => {
    const given = (['cursor', 'starting_after', 'ending_before'] as const).filter(
      (name) => value[name] !== undefined,
    );
    if (given.length < 2) return;
    for (const name of given) {
      issues.push({
        code: 'custom',
        input: value,
        path: [name],
        message: `Give at most one of ${given.join(', ')}.`,
        params: faultParams('conflicting_parameters'),
        continue: true,
      });
    }
  });
export type ListSandboxes = z.infer<typeof ListSandboxes>;

/**
 * A new sandbox. It and its test workspace share the opaque part of their identifiers, so that a
 * person can match them.
 */
export const newSandbox = (
  workspace: string,
  body: CreateSandbox,
  opaque: string,
  now: string,
): Sandbox => ({
  id: `sbx_${opaque}`,
  name: body.name,
  status: 'provisioning',
  workspace,
  sandbox_workspace: `wsp_test_${opaque}`,
  created: now,
  updated: now,
});

/** Every sandbox has this manager, in an account of its own, so that examples can be copied. */
export const sandboxManager = '00000000-0000-4000-8000-000000000001';

/**
 * What a new test workspace holds: enough to try every endpoint that works inside it. The fixtures
 * share the sandbox's opaque part too: `sbx_X` comes with `ptr_X` and `ofr_X`.
 */
export const fixtures = (sandbox: Sandbox, now: string) => {
  const opaque = sandbox.id.slice('sbx_'.length);
  const account = `acc_test_${opaque}`;
  const today = now.slice(0, 10);
  return {
    workspace: {
      id: sandbox.sandbox_workspace,
      account,
      name: sandbox.name,
      created: now,
      owner: sandbox.workspace,
    } satisfies Workspace,
    manager: { id: sandboxManager, account, created: now } satisfies Manager,
    paymentRequest: {
      id: `ptr_${opaque}`,
      worker: `wr_${opaque}`,
      amount: '1250.00',
      currency: 'USD',
      status: 'pending',
      reference: 'SANDBOX-1',
      note: 'A payment request to try approvals on',
      period: { starts: today, ends: today },
      documents: [],
      approvals: [],
      payment: null,
      created: now,
    } satisfies PaymentRequest,
    offer: {
      id: `ofr_${opaque}`,
      status: 'sent',
      recipient_email: 'worker@example.com',
      attempts: 1,
      created: now,
      updated: now,
    } satisfies Offer,
    delivery: {
      ...newDeliveryAttempt(`ofr_${opaque}`, opaque, now),
      status: 'simulated',
    } satisfies DeliveryAttempt,
  };
};
