import type { Plugin } from 'esbuild';
import { changesIn, type SourceChange, withChanges } from '../support/changed-sources.ts';

const change = (file: string, from: string, to: string): readonly SourceChange[] => [
  { file: file.startsWith('node_modules/') ? file : `functions/${file}`, from, to },
];

/** Makes a condition always true; its names and values are still used, as DynamoDB demands. */
const ignore = (file: string, condition: string) => {
  const opposites = { ' = ': ' <> ', ' < ': ' >= ', attribute_not_exists: 'attribute_exists' };
  const [[is, isNot] = ['', '']] = Object.entries(opposites).filter(([is]) =>
    condition.includes(is),
  );
  return change(file, condition, `(${condition} OR ${condition.replace(is, isNot)})`);
};

/** Makes a condition on an item always false, by the attribute that every item has. */
const forbid = (file: string, condition: string, key = 'pk') =>
  change(file, condition, `(${condition} AND attribute_not_exists(${key}))`);

const onlyOnce = '#status = :provisioning';
const readyTwice = change(
  'store/sandboxes.ts',
  `'${onlyOnce}'`,
  `'${onlyOnce} OR #status = :ready'`,
);
const fixturesAnew = change(
  'store/sandboxes.ts',
  'create({ ...item, author })',
  '({ Put: { TableName: table(), Item: { ...item, author } } })',
);
const oneTransaction = `const TransactItems = guard ? [guard.write, ...writes] : writes;`;
const inTwo = (first: string, then: string, when = 'true') =>
  change(
    'store/commit.ts',
    oneTransaction,
    `if (${when}) await sendEffect((options) =>
      documents.send(new TransactWriteCommand({ TransactItems: ${first} }), options));
    const TransactItems = ${when} ? ${then} : writes;`,
  );
const inTwoWithKey = (first: string, then: string) => inTwo(first, then, 'guard');
const firstWithClaim = inTwoWithKey('[guard.write, ...writes.slice(0, 1)]', 'writes.slice(1)');
const secondWithClaim = inTwoWithKey('[guard.write, ...writes.slice(1)]', 'writes.slice(0, 1)');
const takeByLease = change(
  'store/deliveries.ts',
  '(#status = :sending AND lease_ends < :nowMs)',
  '((#status = :sending OR #status <> :sending) AND lease_ends < :nowMs)',
);
const keepLease = change('store/deliveries.ts', "['lease_ends', ...", "['no_lease', ...");
const powertools =
  'node_modules/@aws-lambda-powertools/idempotency/lib/esm/persistence/DynamoDBPersistenceLayer.js';

/**
 * Changes that one could make, each with the case that finds it: each removes, weakens or moves one
 * thing that a guarantee may stand on.
 */
export const mutants: Readonly<
  Record<string, readonly [caseName: string, changes: readonly SourceChange[]]>
> = {
  'skip-claim': [
    'resend',
    change('store/commit.ts', 'guard ? [guard.write, ...writes] : writes', 'writes'),
  ],
  'lost-update': ['resend-keys', ignore('store/offers.ts', 'attempts = :attemptsBefore')],
  'forget-failed-message': [
    'relay+fault',
    change('queue/send.ts', 'return batch.map(({ id }) => id);', 'return [];'),
  ],
  'forget-refused-event': [
    'publish+fault',
    change('queue/put-events.ts', 'return failed.map(({ id }) => id);', 'return [];'),
  ],
  'claim-first': ['resend+fault', inTwoWithKey('[guard.write]', 'writes')],
  'effect-first': ['resend+fault', inTwoWithKey('writes', '[guard.write]')],
  'offer-first': ['resend+fault', firstWithClaim],
  'attempt-first': ['resend+fault', secondWithClaim],
  'approved-first': ['approve+fault', firstWithClaim],
  'approval-first': ['approve+fault', secondWithClaim],
  'ready-first': ['provision+fault', inTwo('writes.slice(0, 1)', 'writes.slice(1)')],
  'fixtures-first': ['provision+fault', inTwo('writes.slice(1)', 'writes.slice(0, 1)')],
  'resend-any-status': ['resend-keys', ignore('store/offers.ts', '#status = :before')],
  'claim-only-over': [
    'resend-off',
    change('idempotency/claims.ts', 'attribute_not_exists(pk) OR ', ''),
  ],
  'claim-over-claim': [
    'resend-off',
    change('idempotency/claims.ts', 'OR expires < :now', 'OR expires < :now OR expires >= :now'),
  ],
  'claim-never-expires': ['resend-month-off', forbid('idempotency/claims.ts', 'expires < :now')],
  'claim-not-over-record': ['resend', forbid('idempotency/claims.ts', '#status = :inProgress')],
  'claim-returns-nothing': ['resend-off', change('idempotency/claims.ts', "'ALL_OLD'", "'NONE'")],
  'key-of-another': [
    'reused-off',
    change('idempotency/once.ts', 'if (claimed.fingerprint !== fingerprint) throw reused();', ''),
  ],
  'record-without-lease': [
    'resend+fault',
    change('idempotency/once.ts', 'idempotencyConfig.registerLambdaContext(context);', ''),
  ],
  'record-for-an-hour': [
    'resend+fault',
    change(
      'idempotency/once.ts',
      'registerLambdaContext(context)',
      'registerLambdaContext({ ...context, getRemainingTimeInMillis: () => 3_600_000 })',
    ),
  ],
  'record-over-record': ['resend', ignore(powertools, '#in_progress_expiry < :now_in_millis')],
  'record-keeps-lease': [
    'resend+fault',
    forbid(powertools, '#in_progress_expiry < :now_in_millis', '#id'),
  ],
  'record-over-claim': ['resend', ignore(powertools, '#expiry < :now')],
  'record-never-again': ['resend-month', forbid(powertools, '#expiry < :now', '#id')],
  'record-over-any-status': ['resend', ignore(powertools, '#status = :inprogress')],
  'record-returns-nothing': [
    'resend',
    change(powertools, "OnConditionCheckFailure: 'ALL_OLD'", "OnConditionCheckFailure: 'NONE'"),
  ],
  'record-updated': [
    'resend',
    change('idempotency/records.ts', 'protected override async _updateRecord() {}', ''),
  ],
  'record-deleted': [
    'resend-alone+2faults',
    ignore('idempotency/records.ts', '#status = :inProgress'),
  ],
  'record-held': [
    'resend+fault',
    change(
      'idempotency/records.ts',
      'if (!(error instanceof TransactionConflictException)) throw error;',
      'throw error;',
    ),
  ],
  'record-kept': [
    'resend-alone+2faults',
    change('idempotency/records.ts', 'if (!isKept) throw error;', 'throw error;'),
  ],
  'stable-at-once': [
    'restore',
    change('idempotency/saved-payment-request.ts', 'stableAfterMs = 20_000', 'stableAfterMs = 0'),
  ],
  'conflict-not-retried': [
    'resend+fault',
    change(
      'store/commit.ts',
      "Code === 'ConditionalCheckFailed' || Code === 'TransactionConflict'",
      "Code === 'ConditionalCheckFailed'",
    ),
  ],
  'never-again': [
    'resend-keys',
    change(
      'store/conflict.ts',
      'if (!mayPass(error) || Date.now() >= deadline) throw error;',
      'throw error;',
    ),
  ],
  'own-item-refused': [
    'create-unkeyed+fault',
    change(
      'store/commit.ts',
      'if (!(error instanceof ConditionalCheckFailedException)) throw asConflict(error);',
      'throw asConflict(error);',
    ),
  ],
  'create-over': ['create-unkeyed+fault', ignore('store/commit.ts', 'attribute_not_exists(pk)')],
  'effect-not-observed': [
    'create-unkeyed+fault',
    change('store/deadline.ts', 'work.maybeDone = true;', ''),
  ],
  'refusal-of-last-try': [
    'create-unkeyed+2faults',
    change(
      'store/deadline.ts',
      'if (statusCode >= 400 && statusCode < 500) work.maybeDone = before;',
      'if (statusCode >= 400 && statusCode < 500) work.maybeDone = false;',
    ),
  ],
  'conflict-final': [
    'create-unkeyed+2faults',
    change(
      'store/outcome.ts',
      'if (work && isFinal(error)) work.maybeDone = false;',
      'if (work) work.maybeDone = false;',
    ),
  ],
  'approve-any-status': ['managers', ignore('store/payment-requests.ts', '#status = :before')],
  'approve-not-status': [
    'managers',
    change('store/payment-requests.ts', "if (before.status === 'approved') return", 'return'),
  ],
  'ready-twice': ['provision', readyTwice],
  'fixtures-anew': ['provision', fixturesAnew],
  'ready-twice, fixtures-anew': ['provision', [...readyTwice, ...fixturesAnew]],
  'take-over-at-once': ['deliver', ignore('store/deliveries.ts', 'lease_ends < :nowMs')],
  'take-for-an-hour': [
    'deliver-again+fault',
    change('store/deliveries.ts', 'leaseMs = 60_000', 'leaseMs = 3_600_000'),
  ],
  'take-by-lease': ['deliver-lease', takeByLease],
  'keep-lease': ['deliver-lease', keepLease],
  'take-by-lease, keep-lease': ['deliver-lease', [...takeByLease, ...keepLease]],
  'mail-before-taking': [
    'deliver',
    [
      ...change(
        'deliver-offer.ts',
        'const taken = await takeDelivery(offer, delivery);',
        `const mail = { workspace: '', offer, id: delivery, recipient: 'worker@example.com' };
    const first = await mailOffer(mail, request_id);
    const taken = await takeDelivery(offer, delivery);`,
      ),
      ...change('deliver-offer.ts', 'await mailOffer(taken, request_id)', 'first'),
    ],
  ],
  'first-reason': ['deliver', ignore('store/deliveries.ts', 'attribute_not_exists(reason)')],
  'never-take-over': ['deliver-lease', forbid('store/deliveries.ts', 'lease_ends < :nowMs')],
  'take-what-has-ended': [
    'deliver',
    change(
      'store/deliveries.ts',
      "'#status = :queued OR (",
      "'#status <> :sending OR #status = :queued OR (",
    ),
  ],
  'end-whatever-it-is': ['deliver', ignore('store/deliveries.ts', '#status = :before')],
  'end-whatever-reason': ['mail-events', ignore('store/deliveries.ts', 'reason = :reasonBefore')],
  'event-not-retried': [
    'deliver',
    change(
      'store/mail-events.ts',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code.
      'if (!(await endDelivery(attempt, fate))) throw new Conflict(`${delivery} has changed.`);',
      'await endDelivery(attempt, fate);',
    ),
  ],
  'sent-before-sending': [
    'deliver-lease',
    change(
      'deliver-offer.ts',
      'const result = isTestWorkspace',
      "await saveDeliveryResult(taken, { status: 'sent', message_id: '' }, remainingMs());\n    const result = isTestWorkspace",
    ),
  ],
  'forget-failed-entry': [
    'relay+fault',
    change(
      'queue/send.ts',
      "return Failed.map(({ Id }) => batch[Number(Id)]?.id ?? '');",
      'return [];',
    ),
  ],
  'forget-failed-events': [
    'publish+fault',
    change('queue/put-events.ts', 'return batch.map(({ id }) => id);', 'return [];'),
  ],
  'forget-unread-item': ['publish+fault', change('queue/publish.ts', 'failed.push(id);', '')],
  'revoked-is-valid': ['revoke', change('authorize.ts', '!token.revoked && ', '')],
  'revoke-again': [
    'revoke',
    changesIn('bin/admin/table')('tokens.ts', ' AND attribute_not_exists(revoked)', ''),
  ],
};

export const mutantNames = Object.keys(mutants);

/** Those that random histories find too. */
export const chaosBugs: readonly string[] = [
  'skip-claim',
  'lost-update',
  'forget-failed-message',
  'forget-refused-event',
];

/** Those that the search cannot find: functions/idempotency/README.md says why. */
export const unfound: readonly string[] = [
  'approve-any-status',
  'ready-twice',
  'fixtures-anew',
  'resend-any-status',
  'take-by-lease',
  'keep-lease',
  'first-reason',
  'record-over-record',
  'record-over-any-status',
  'record-returns-nothing',
];

/** An esbuild plugin that bundles the functions with a mutant in them. */
export const withMutant = (name: string): Plugin =>
  withChanges(`the mutant ${name}`, mutants[name]?.[1] ?? []);
