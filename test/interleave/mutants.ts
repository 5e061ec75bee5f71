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
 * Changes that one could make, each with the case that finds it and a sentence about it: each
 * removes, weakens or moves one thing that a guarantee may stand on.
 */
export const mutants: Readonly<
  Record<string, readonly [caseName: string, about: string, changes: readonly SourceChange[]]>
> = {
  'skip-claim': [
    'resend',
    'the transaction leaves the claim out',
    change('store/commit.ts', 'guard ? [guard.write, ...writes] : writes', 'writes'),
  ],
  'lost-update': [
    'resend-keys',
    'a resend does not check the number of attempts',
    ignore('store/offers.ts', 'attempts = :attemptsBefore'),
  ],
  'forget-failed-message': [
    'relay+fault',
    'a failed `SendMessageBatch` is not reported',
    change('queue/send.ts', 'return batch.map(({ id }) => id);', 'return [];'),
  ],
  'forget-refused-event': [
    'publish+fault',
    'a refused entry of `PutEvents` is not reported',
    change('queue/put-events.ts', 'return failed.map(({ id }) => id);', 'return [];'),
  ],
  'claim-first': [
    'resend+fault',
    'the claim is committed before the effect',
    inTwoWithKey('[guard.write]', 'writes'),
  ],
  'effect-first': [
    'resend+fault',
    'the effect is committed before the claim',
    inTwoWithKey('writes', '[guard.write]'),
  ],
  'offer-first': [
    'resend+fault',
    'the attempt of a resend is committed after its offer and claim',
    firstWithClaim,
  ],
  'attempt-first': [
    'resend+fault',
    'the attempt of a resend and its claim are committed before its offer',
    secondWithClaim,
  ],
  'approved-first': [
    'approve+fault',
    'an approval is committed after its request and claim',
    firstWithClaim,
  ],
  'approval-first': [
    'approve+fault',
    'an approval and its claim are committed before its request',
    secondWithClaim,
  ],
  'ready-first': [
    'provision+fault',
    'a sandbox is ready before its fixtures are there',
    inTwo('writes.slice(0, 1)', 'writes.slice(1)'),
  ],
  'fixtures-first': [
    'provision+fault',
    'the fixtures of a sandbox are committed before it is ready',
    inTwo('writes.slice(1)', 'writes.slice(0, 1)'),
  ],
  'resend-any-status': [
    'resend-keys',
    'a resend does not check the status of the offer',
    ignore('store/offers.ts', '#status = :before'),
  ],
  'claim-only-over': [
    'resend-off',
    'the claim is written only over an item',
    change('idempotency/claims.ts', 'attribute_not_exists(pk) OR ', ''),
  ],
  'claim-over-claim': [
    'resend-off',
    'the claim is written over another one',
    change('idempotency/claims.ts', 'OR expires < :now', 'OR expires < :now OR expires >= :now'),
  ],
  'claim-never-expires': [
    'resend-month-off',
    '`expires < :now` of the claim is never true',
    forbid('idempotency/claims.ts', 'expires < :now'),
  ],
  'claim-not-over-record': [
    'resend',
    'the claim is not written over a record in progress',
    forbid('idempotency/claims.ts', '#status = :inProgress'),
  ],
  'claim-returns-nothing': [
    'resend-off',
    'the refused claim does not return the item (`ReturnValuesOnConditionCheckFailure`)',
    change('idempotency/claims.ts', "'ALL_OLD'", "'NONE'"),
  ],
  'key-of-another': [
    'reused-off',
    'the fingerprint of the claim is not compared',
    change('idempotency/once.ts', 'if (claimed.fingerprint !== fingerprint) throw reused();', ''),
  ],
  'record-without-lease': [
    'resend+fault',
    'the record has no lease (`registerLambdaContext`)',
    change('idempotency/once.ts', 'idempotencyConfig.registerLambdaContext(context);', ''),
  ],
  'record-for-an-hour': [
    'resend+fault',
    "the record's lease is an hour",
    change(
      'idempotency/once.ts',
      'registerLambdaContext(context)',
      'registerLambdaContext({ ...context, getRemainingTimeInMillis: () => 3_600_000 })',
    ),
  ],
  'record-over-record': [
    'resend',
    'a record is begun over one whose lease is not over',
    ignore(powertools, '#in_progress_expiry < :now_in_millis'),
  ],
  'record-keeps-lease': [
    'resend+fault',
    'a record in progress is never begun again',
    forbid(powertools, '#in_progress_expiry < :now_in_millis', '#id'),
  ],
  'record-over-claim': [
    'resend',
    'a record is begun over a claim that has not expired',
    ignore(powertools, '#expiry < :now'),
  ],
  'record-never-again': [
    'resend-month',
    'a record is never begun over an expired claim',
    forbid(powertools, '#expiry < :now', '#id'),
  ],
  'record-over-any-status': [
    'resend',
    'an item with a lease that is over need not be in progress',
    ignore(powertools, '#status = :inprogress'),
  ],
  'record-returns-nothing': [
    'resend',
    'a record that cannot be begun is not returned',
    change(powertools, "OnConditionCheckFailure: 'ALL_OLD'", "OnConditionCheckFailure: 'NONE'"),
  ],
  'record-updated': [
    'resend',
    'Powertools completes the record itself, after the claim',
    change('idempotency/records.ts', 'protected override async _updateRecord() {}', ''),
  ],
  'record-deleted': [
    'resend-alone+2faults',
    'a failed try deletes a completed claim',
    ignore('idempotency/records.ts', '#status = :inProgress'),
  ],
  'record-held': [
    'resend+fault',
    'a conflict with a transaction while the record is begun is an error',
    change(
      'idempotency/records.ts',
      'if (!(error instanceof TransactionConflictException)) throw error;',
      'throw error;',
    ),
  ],
  'record-kept': [
    'resend-alone+2faults',
    'a record that is completed cannot be deleted, and that is an error',
    change('idempotency/records.ts', 'if (!isKept) throw error;', 'throw error;'),
  ],
  'stable-at-once': [
    'restore',
    '`stableAfterMs` is 0',
    change('idempotency/saved-payment-request.ts', 'stableAfterMs = 20_000', 'stableAfterMs = 0'),
  ],
  'conflict-not-retried': [
    'resend+fault',
    'a `TransactionConflict` is an error',
    change(
      'store/commit.ts',
      "Code === 'ConditionalCheckFailed' || Code === 'TransactionConflict'",
      "Code === 'ConditionalCheckFailed'",
    ),
  ],
  'never-again': [
    'resend-keys',
    'conflicts are not retried',
    change(
      'store/conflict.ts',
      'if (!mayPass(error) || Date.now() >= deadline) throw error;',
      'throw error;',
    ),
  ],
  'own-item-refused': [
    'create-unkeyed+fault',
    '`commitNew` throws on its condition',
    change(
      'store/commit.ts',
      'if (!(error instanceof ConditionalCheckFailedException)) throw asConflict(error);',
      'throw asConflict(error);',
    ),
  ],
  'create-over': [
    'create-unkeyed+fault',
    'a new item is put over what is there',
    ignore('store/commit.ts', 'attribute_not_exists(pk)'),
  ],
  'effect-not-observed': [
    'create-unkeyed+fault',
    'a write that was sent is not remembered at the deadline',
    change('store/deadline.ts', 'work.maybeDone = true;', ''),
  ],
  'refusal-of-last-try': [
    'create-unkeyed+2faults',
    'a refusal of the last try hides a lost one before it',
    change(
      'store/deadline.ts',
      'if (statusCode >= 400 && statusCode < 500) work.maybeDone = before;',
      'if (statusCode >= 400 && statusCode < 500) work.maybeDone = false;',
    ),
  ],
  'conflict-final': [
    'create-unkeyed+2faults',
    'a conflict after a lost try says that nothing was changed',
    change(
      'store/outcome.ts',
      'if (work && isFinal(error)) work.maybeDone = false;',
      'if (work) work.maybeDone = false;',
    ),
  ],
  'approve-any-status': [
    'managers',
    '`#status = :before` of approve is always true',
    ignore('store/payment-requests.ts', '#status = :before'),
  ],
  'approve-not-status': [
    'managers',
    'the status of the request is never written',
    change('store/payment-requests.ts', "if (before.status === 'approved') return", 'return'),
  ],
  'ready-twice': ['provision', '`saveReadySandbox` is allowed from `ready`', readyTwice],
  'fixtures-anew': [
    'provision',
    'the fixtures of a sandbox are put over those that are there',
    fixturesAnew,
  ],
  'ready-twice, fixtures-anew': [
    'provision',
    'both of these two',
    [...readyTwice, ...fixturesAnew],
  ],
  'take-over-at-once': [
    'deliver',
    'a delivery is taken over before its lease ends',
    ignore('store/deliveries.ts', 'lease_ends < :nowMs'),
  ],
  'take-for-an-hour': [
    'deliver-again+fault',
    "a consumer's lease is an hour",
    change('store/deliveries.ts', 'leaseMs = 60_000', 'leaseMs = 3_600_000'),
  ],
  'take-by-lease': [
    'deliver-lease',
    'an attempt whose lease is over need not be `sending`',
    takeByLease,
  ],
  'keep-lease': ['deliver-lease', 'an attempt that has ended keeps its lease', keepLease],
  'take-by-lease, keep-lease': [
    'deliver-lease',
    'both of these two',
    [...takeByLease, ...keepLease],
  ],
  'mail-before-taking': [
    'deliver',
    'a mail is sent before the attempt is taken',
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
  'first-reason': [
    'deliver',
    'the end of a delivery is written over the same status with a reason',
    ignore('store/deliveries.ts', 'attribute_not_exists(reason)'),
  ],
  'never-take-over': [
    'deliver-lease',
    'a delivery is never taken over',
    forbid('store/deliveries.ts', 'lease_ends < :nowMs'),
  ],
  'take-what-has-ended': [
    'deliver',
    'a delivery that has ended is taken again',
    change(
      'store/deliveries.ts',
      "'#status = :queued OR (",
      "'#status <> :sending OR #status = :queued OR (",
    ),
  ],
  'end-whatever-it-is': [
    'deliver',
    'the end of a delivery is written over any status',
    ignore('store/deliveries.ts', '#status = :before'),
  ],
  'end-whatever-reason': [
    'mail-events',
    'the end of a delivery is written over the same status with another reason',
    ignore('store/deliveries.ts', 'reason = :reasonBefore'),
  ],
  'event-not-retried': [
    'deliver',
    'an event of SES that meets a change is dropped',
    change(
      'store/mail-events.ts',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code.
      'if (!(await endDelivery(attempt, fate))) throw new Conflict(`${delivery} has changed.`);',
      'await endDelivery(attempt, fate);',
    ),
  ],
  'sent-before-sending': [
    'deliver-lease',
    '`sent` is recorded before SES has the mail',
    change(
      'deliver-offer.ts',
      'const result = isTestWorkspace',
      "await saveDeliveryResult(taken, { status: 'sent', message_id: '' }, remainingMs());\n    const result = isTestWorkspace",
    ),
  ],
  'forget-failed-entry': [
    'relay+fault',
    'a refused entry of `SendMessageBatch` is not reported',
    change(
      'queue/send.ts',
      "return Failed.map(({ Id }) => batch[Number(Id)]?.id ?? '');",
      'return [];',
    ),
  ],
  'forget-failed-events': [
    'publish+fault',
    'a failed `PutEvents` is not reported',
    change('queue/put-events.ts', 'return batch.map(({ id }) => id);', 'return [];'),
  ],
  'forget-unread-item': [
    'publish+fault',
    'an item whose workspace cannot be read is not reported',
    change('queue/publish.ts', 'failed.push(id);', ''),
  ],
  'revoked-is-valid': [
    'revoke',
    'the authorizer ignores that a token is revoked',
    change('authorize.ts', '!token.revoked && ', ''),
  ],
  'revoke-again': [
    'revoke',
    'a revoked token is revoked again',
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

/** Those that the search cannot find: functions/idempotency/README.md explains each. */
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
  withChanges(`the mutant ${name}`, mutants[name]?.[2] ?? []);
