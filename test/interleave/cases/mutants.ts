import type { Plugin } from 'esbuild';
import { change, type SourceChange, withChanges } from './changed-sources.ts';

/** Makes a condition on an item always false, by the attribute that every item has. */
const forbid = (file: string, condition: string, key = 'pk') =>
  change(file, condition, `(${condition} AND attribute_not_exists(${key}))`);

/** Commits some of a transaction's writes, of which the claim is the first, before the others. */
const inTwo = (first: string, then: string) =>
  change(
    'store/commit.ts',
    'const TransactItems = guard ? [guard, ...writes] : writes;',
    `const all = guard ? [guard, ...writes] : writes;
    await sendEffect(() =>
      documents.send(new TransactWriteCommand({ TransactItems: ${first} })));
    const TransactItems = ${then};`,
  );
const powertools =
  'node_modules/@aws-lambda-powertools/idempotency/lib/esm/persistence/DynamoDBPersistenceLayer.js';

/**
 * Changes that one could make, each with the shortest schedule that was found to show it and a
 * sentence about it: each removes, weakens or moves one thing that a guarantee stands on.
 */
export const mutants: Readonly<
  Record<string, readonly [line: string, about: string, changes: readonly SourceChange[]]>
> = {
  'skip-claim': [
    'resend A1 A2 A3 B1 B2',
    'the transaction leaves the claim out',
    change('store/commit.ts', 'guard ? [guard, ...writes] : writes', 'writes'),
  ],
  'lost-update': [
    'resend-keys A1 B1 B2 B3 A2 A3',
    'a resend does not check the number of attempts',
    change('store/offers.ts', "['status', 'attempts']", "['status']"),
  ],
  'compare-once': [
    'seen A1 B1 B2 B3 A2 A3 A4 A5 A6 A7 A8 A9',
    'only the version that is loaded first is compared with If-Match',
    change(
      'approve-payment-request.ts',
      'approve(before, manager, approval, ifMatch)',
      `approve(before, manager, approval,
        ifMatch && !(globalThis.compared ??= new WeakSet()).has(ifMatch)
          ? (globalThis.compared.add(ifMatch), ifMatch) : undefined)`,
    ),
  ],
  'no-version-check': [
    'seen-lease A1 C1 C2 C3 A2 A3 A4 A5 time B1 B2 B3',
    'the transaction does not check the version of a request that is approved already',
    change('store/payment-requests.ts', 'if (!hasPrecondition) return', 'return'),
  ],
  'fingerprint-without-versions': [
    'seen-reused A1 A2 A3 A4 A5 B1 B2 B3 C1 C2',
    'the same key with another If-Match counts as the same request',
    change('http/read-request.ts', '...(ifMatch ? [ifMatch] : [])', ''),
  ],
  'weak-tag': [
    'seen-weak A1 A2 A3 A4 B1 B2',
    'a weak tag names a version',
    change(
      'domain/entity-tags.ts',
      `tags.includes('*')`,
      "tags.includes('W/' + JSON.stringify(String(version)))",
    ),
  ],
  'precondition-before-replay': [
    'seen-approved A1 A2 A3 A4 A5 B1 B2 B3',
    'a replay is refused if the version is another one by then',
    change(
      'http/endpoint.ts',
      'if (key.earlier)',
      `if (key.earlier) loading.goOn(), decide(request, await loading.next(), newStamp());
      if (key.earlier)`,
    ),
  ],
  'refused-though-done': [
    'seen-lease A1 A2 A3 A4 C1 C2 time B3 A5~ C3~ B1 B2 B4 B5',
    'a refused precondition does not look for the effect of another try',
    change('idempotency/begin-key.ts', 'if (!failure ||', 'if (true ||'),
  ],
  'refused-though-unknown': [
    'seen-lease+fault A1 A2 A3 A4 C1 C2 time B3 A5~ C3~ B1 B2 B4 B5:refused',
    'a refused precondition is final although its key could not be deleted',
    change(
      'idempotency/begin-key.ts',
      "throw new Conflict('It is unknown whether the key is free.', { cause: failure });",
      'throw error;',
    ),
  ],
  'forget-failed-message': [
    'relay+fault A2:refused A1',
    'a failed `SendMessageBatch` is not reported',
    change('queue/send.ts', 'return batch.map(({ id }) => id);', 'return [];'),
  ],
  'forget-refused-event': [
    'publish+fault A1 A2 A3 A4:partly',
    'a refused entry of `PutEvents` is not reported',
    change('bus/put-events.ts', 'return failed.map(({ id }) => id);', 'return [];'),
  ],
  'claim-first': [
    'resend+fault A1 A2 A3 A4:refused A5 B1 B2',
    'the claim is committed before the effect',
    inTwo('all.slice(0, 1)', 'all.slice(1)'),
  ],
  'effect-first': [
    'resend+fault A1 A2 A3 A4:refused A5 B1 B2 B3 B4',
    'the effect is committed before the claim',
    inTwo('all.slice(1)', 'all.slice(0, 1)'),
  ],
  'approval-first': [
    'approve+fault A1 A2 A3 A4 A5 A6:refused A7 B1 B2 B3',
    'an approval and its claim are committed before its request',
    inTwo('all.toSpliced(1, 1)', 'all.slice(1, 2)'),
  ],
  'ready-first': [
    'provision+fault A1 A2 A3 B1',
    'a sandbox is ready before its fixtures are there',
    inTwo('all.slice(0, 1)', 'all.slice(1)'),
  ],
  'claim-only-over': [
    'reused-off',
    'the claim is written only over an item',
    change('idempotency/claims.ts', 'attribute_not_exists(pk) OR ', ''),
  ],
  'claim-over-claim': [
    'reused-off A1 A2 A3 A4 B1 B2 B3 B4',
    'the claim is written over another one',
    change('idempotency/claims.ts', 'OR expires < :now', 'OR expires < :now OR expires >= :now'),
  ],
  'claim-never-expires': [
    'resend-month-off A1 A2 time B1 B2 C1 C2',
    '`expires < :now` of the claim is never true',
    forbid('idempotency/claims.ts', 'expires < :now'),
  ],
  'claim-not-over-record': [
    'resend A1 A2 A3 B1 B2',
    'the claim is not written over a record in progress',
    forbid('idempotency/claims.ts', '#status = :inProgress'),
  ],
  'claim-returns-nothing': [
    'reused-off',
    'the refused claim does not return the item (`ReturnValuesOnConditionCheckFailure`)',
    change('idempotency/claims.ts', "'ALL_OLD'", "'NONE'"),
  ],
  'key-of-another': [
    'reused-off A1 A2 A3 A4 B1 B2 B3 B4',
    'the fingerprint of the claim is not compared',
    change('idempotency/claims.ts', 'if (fingerprint !== intent.fingerprint) throw reused();', ''),
  ],
  'record-of-another': [
    'seen-reused A1 A2 A3 A4 A5 B1 B2 B3 C1 C2 C3 C4 C5',
    'the fingerprint of the record is not compared',
    change(
      'idempotency/claim-in-progress.ts',
      'if (record.payloadHash !== this.#intent.fingerprint) throw reused();',
      '',
    ),
  ],
  'record-without-lease': [
    'resend+fault A1 A2 A3:killed A3~:dropped B1 B2',
    'the record has no lease (`registerLambdaContext`)',
    change('idempotency/begin-key.ts', 'idempotencyConfig.registerLambdaContext(context);', ''),
  ],
  'record-over-claim': [
    'resend A1 A2 A3 B1 B2 B3',
    'a record is begun over a claim that has not expired',
    change(powertools, '#expiry < :now', '(#expiry < :now OR #expiry >= :now)'),
  ],
  'record-never-again': [
    'resend-month A1 A2 A3 time B1 B2 B3 B4 C1 C2 C3 C4',
    'a record is never begun over an expired claim',
    forbid(powertools, '#expiry < :now', '#id'),
  ],
  'record-updated': [
    'resend A1 A2 A3 A4 B1 B2',
    'Powertools completes the record itself, after the claim',
    change('idempotency/claim-in-progress.ts', 'protected override async _updateRecord() {}', ''),
  ],
  'record-deleted': [
    'resend-alone+2faults A1 A2 A3:lost A4:refused A3~ A5',
    'a failed try deletes a completed claim',
    change(
      'idempotency/claim-in-progress.ts',
      '#status = :inProgress',
      '(#status = :inProgress OR #status <> :inProgress)',
    ),
  ],
  'record-held': [
    'resend+fault A1 A2 A3 B2:refused',
    'a conflict with a transaction while the record is begun is an error',
    change('idempotency/begin-key.ts', 'cause instanceof TransactionConflictException', 'false'),
  ],
  'conflict-not-retried': [
    'resend+fault A1 A2 A3:refused A4 B1 B2 B3',
    'a `TransactionConflict` is an error',
    change(
      'store/commit.ts',
      '(ConditionalCheckFailed|TransactionConflict)',
      'ConditionalCheckFailed',
    ),
  ],
  'never-again': [
    'resend-keys A1 B1 B2 B3 A2 A3 A4',
    'conflicts are not retried',
    change('store/conflict.ts', '!isTransient(error) ||', 'true ||'),
  ],
  'load-once': [
    'resend-keys A1 B1 B2 B3 A2 A3 A4',
    'a try after a conflict decides on what was loaded before it',
    change('http/early-load.ts', 'early = undefined;', ''),
  ],
  'own-item-refused': [
    'create-unkeyed+fault A1:lost A1~ A2',
    '`commitNew` throws on its condition',
    change(
      'store/commit.ts',
      'if (error instanceof ConditionalCheckFailedException) return false;',
      '',
    ),
  ],
  'create-over': [
    'create-pipeline+fault A1:lost A2 A3 A4 A5 A6 A7 A1~',
    'a new item is put over what is there',
    change('store/commit.ts', "'attribute_not_exists(pk)'", 'undefined'),
  ],
  'effect-not-observed': [
    'create-unkeyed+fault A1:late A1~',
    'a write that was sent is not remembered at the deadline',
    change('store/observing-handler.ts', 'observed?.sent();', ''),
  ],
  'conflict-final': [
    'create-unkeyed+2faults A1:lost A2:refused A3 A1~',
    'a conflict after a lost try says that nothing was changed',
    change('store/write-tries.ts', 'if (isFinal(error)) ', ''),
  ],
  'approve-not-status': [
    'managers A1 A2 A3 A4 B1 B2 B3 B4',
    'the status of the request is never written',
    change('store/payment-requests.ts', "if (before.status === 'approved' &&", 'if (true ||'),
  ],
  'ready-twice': [
    'provision A1 B1 B2 A2',
    '`saveReadySandbox` is allowed from `ready`, and puts the fixtures over those that are there',
    [
      ...change('store/sandboxes.ts', "['status']", "['created']"),
      ...change(
        'store/sandboxes.ts',
        'putOf({ ...item, author })',
        '({ Put: { TableName: table(), Item: { ...item, author } } })',
      ),
    ],
  ],
  'take-over-at-once': [
    'deliver A1 A2 A3 B1 B2 B3 B4 B5 B6 A4 A5 A6 C1 C2',
    'a delivery is taken over before its lease ends',
    change('store/deliveries.ts', "status === 'sending' && lease_ends >= now", 'false'),
  ],
  'mail-before-taking': [
    'deliver A1 A2 A3 A4 A5 A6 B1 B2 B3 B4 C1 C2',
    'a mail is sent before the attempt is taken',
    [
      ...change(
        'deliver-offer.ts',
        'const taken = await takeDelivery(',
        `const mail = { workspace: '', offer, id: delivery, recipient: 'worker@example.com' };
    const untaken = { ...mail, leaseEnds: 0, takes: 0 };
    const first = await mailOffer(untaken, request_id, remainingMs);
    const taken = await takeDelivery(`,
      ),
      ...change('deliver-offer.ts', 'await mailOffer(taken, request_id, remainingMs)', 'first'),
    ],
  ],
  'put-back-of-another': [
    'deliver-again+fault A1 A2 A3 A4 A5:refused time B1 B2 B3 A6~ B4 B5 B6',
    'an attempt that another consumer has taken over is put back',
    change('store/deliveries.ts', "before, ['status', 'lease_ends']", "before, ['status']"),
  ],
  'put-back-counted': [
    'deliver-last+fault A1 A2 A3 A4 A5:refused A6 A7 B1 B2 B3 B4 B5',
    'an attempt is put back, and counts as taken',
    change('store/deliveries.ts', 'takes, lease_ends', 'takes: takes + 1, lease_ends'),
  ],
  'not-put-back': [
    'deliver-last+fault A1 A2 A3 A4 A5:refused A6 A7 B1 B2',
    'an attempt does not count as taken any more, and is not put back',
    change('store/deliveries.ts', "status: 'queued', takes, lease_ends: undefined", 'takes'),
  ],
  'takes-not-reset': [
    'deliver-last-alone+fault A1 A2 A3 A4 A5 A6:killed A6~:dropped',
    'the takes of an attempt stay as they are when its message is a dead letter',
    change('store/deliveries.ts', '{ takes: 0 }', '{ takes: attempt?.takes }'),
  ],
  'reset-without-letter': [
    'deliver-last-alone+fault A1 A2 A3 A4 A5 A6:killed A6~:dropped',
    'the takes of an attempt are set to 0, and its message is no dead letter',
    change('queue/consumer.ts', 'await giveUp(record, inFull);', ''),
  ],
  'letter-while-sent': [
    'deliver-last+fault A1 A2 A3 B1 B2 B3 B4 B5 A4 A5 A6',
    'the message of an attempt that is sent for the last time is a dead letter',
    change(
      'store/deliveries.ts',
      "(status === 'sending' && lease_ends >= now)",
      "(status === 'sending' && lease_ends >= now && earlier < maximumFailures)",
    ),
  ],
  'take-late': [
    'deliver-last-alone+2faults A1 A2 A3:lost A4 A5 A6:refused A7 A8 A3~',
    'an attempt that has changed since it was read is taken',
    change('store/deliveries.ts', "attempt, ['status', 'updated']", "attempt, ['status']"),
  ],
  'never-take-over': [
    'deliver-lease A1 A2 A3 time B1 B2',
    'a delivery is never taken over',
    change('store/deliveries.ts', '&& lease_ends >= now', ''),
  ],
  'take-what-has-ended': [
    'deliver A1 A2 A3 A4 A5 A6 B1 B2 B3 B4 B5 B6 C1 C2',
    'a delivery that has ended is taken again',
    change('store/deliveries.ts', "status !== 'queued' &&", 'false &&'),
  ],
  'end-whatever-it-is': [
    'deliver A1 A2 A3 A4 A5 B1 B2 C1 C2 A6',
    'the end of a delivery is written over any status',
    change('store/deliveries.ts', "['status', 'reason']", "['reason']"),
  ],
  'end-whatever-reason': [
    'mail-events A1 B1 B2 A2',
    'the end of a delivery is written over the same status with another reason',
    change('store/deliveries.ts', "['status', 'reason']", "['status']"),
  ],
  'event-not-retried': [
    'deliver A1 A2 A3 A4 A5 C1 A6 B1 B2 C2',
    'an event of SES that meets a change is dropped',
    change(
      'store/deliveries.ts',
      'if (!(await endDelivery(before, result)))',
      'if (!(await endDelivery(before, result)) && false)',
    ),
  ],
  'sent-before-sending': [
    'deliver-lease A1 A2 A3 A4 time B1 B2',
    '`sent` is recorded before SES has the mail',
    change(
      'deliver-offer.ts',
      'const result = isTestWorkspace',
      "await saveDeliveryResult(taken, { status: 'sent', message_id: '' }, remainingMs());\n    const result = isTestWorkspace",
    ),
  ],
  'forget-failed-entry': [
    'relay+fault A1:partly A2',
    'a refused entry of `SendMessageBatch` is not reported',
    change('queue/send.ts', 'return Failed.map(', 'return [].map('),
  ],
  'forget-failed-events': [
    'publish+fault A1 A2 A3 A4:refused',
    'a failed `PutEvents` is not reported',
    change('bus/put-events.ts', 'return batch.map(({ id }) => id);', 'return [];'),
  ],
  'forget-unread-item': [
    'publish+fault A3:refused A1 A2 A4',
    'an item whose workspace cannot be read is not reported',
    change('stream/publish.ts', 'failed.push(id);', ''),
  ],
  'revoked-is-valid': [
    'revoke B1 B2 C1 C2 A1',
    'the authorizer ignores that a token is revoked',
    change('authorize.ts', '!token.revoked && ', ''),
  ],
  'revoke-again': [
    'revoke B1 B2 C1 C2 A1',
    'a revoked token is revoked again',
    change('bin/admin/table/tokens.ts', '{ ...token, revoked: undefined }', 'token'),
  ],
  'lower-version': [
    'import-two B1 B2 B3 A1 A2 A3',
    'a message with a lower version is applied',
    change('domain/record.ts', '!stored || version > versionOf(stored)', 'true'),
  ],
  'approve-any-version': [
    'import-approve A1 B1 B2 B3 A2 A3 A4',
    'an approve does not check the version of the request',
    change('store/payment-requests.ts', "'version', ", ''),
  ],
  'approve-any-status-version': [
    'import-older+fault A1 A2 A3 A4:lost B1 B2 B3 A5 A6 A7 A8 A9 A4~',
    'an approve does not check the version of the status of the request',
    change('store/payment-requests.ts', "'version', 'status_version'];", "'version'];"),
  ],
  'approve-leaves-version': [
    'import-older A1 A2 A3 A4 B1 B2 B3',
    'an approve of an approved request does not outweigh older messages',
    change('store/payment-requests.ts', 'before.status_version === undefined', 'true'),
  ],
  'approve-leaves-end': [
    'import-older B1 B2 B3 A1 A2 A3 A4',
    'an approve of an ended request leaves its end, which the stream publishes again',
    change('store/payment-requests.ts', ', ended: undefined', ''),
  ],
  'status-goes-back': [
    'import-status A1 A2 A3 A4 B1 B2 B3',
    "a message's status replaces that of an approval",
    change('domain/record.ts', 'isApproved(stored) && isOpen(message)', 'false'),
  ],
  'older-end-is-lost': [
    'import-statuses B1 B2 B3 A1 A2',
    'an older message ends no request',
    change('domain/record.ts', 'version > statusVersionOf(stored) && !isOpen(message)', 'false'),
  ],
  'mail-each-message': [
    'import-send A1 A2 A3 B1 B2 B3',
    'each message that an offer is sent mails it',
    change(
      'domain/record.ts',
      "isSent && !stored?.attempts && (send || stored?.status === 'draft')",
      "offer?.status === 'sent'",
    ),
  ],
  'amount-after-approval': [
    'import-approve A1 A2 A3 A4 B1 B2 B3',
    'a message changes the amount of an approved request',
    change('domain/record.ts', 'isApproved(stored) && stored?.[name] !== request?.[name]', 'false'),
  ],
  'cancel-is-refused': [
    'import-cancel A1 A2 A3 A4 B1 B2',
    'a cancellation with another amount is refused',
    change('domain/record.ts', "(isOpen(message) || request?.status === 'paid')", 'true'),
  ],
  'version-used-twice': [
    'import-reused A1 A2 A3 B1 B2',
    'another message with the same version is taken for a redelivery',
    change('domain/record.ts', '!== stamp.hash', '=== undefined'),
  ],
  'import-any-status': [
    'import-approve A1 A2 A3 B1 A4 B2 B3',
    'an import does not check the status of its record',
    change('store/records.ts', "['status', ", '['),
  ],
  'import-any-version': [
    'import-two A1 A2 B1 B2 B3 A3',
    'an import does not check the version of its record',
    change('store/records.ts', " 'version',", ''),
  ],
  'import-any-status-version': [
    'import-older A1 B1 B2 A2 A3 A4 B3',
    'an import does not check the version of the status of its record',
    change('store/records.ts', " 'status_version',", ''),
  ],
  'import-redacted': [
    'import-redact B1 A1 B2 A2 A3',
    'an import does not check that its record was not redacted',
    change('store/records.ts', ", 'redacted']", ']'),
  ],
  'attempts-of-message': [
    'import-resend A1 B1 A2 B2 B3',
    'a message sets the number of delivery attempts',
    change(
      'domain/record.ts',
      '(isMailed || !stored) && { attempts: Number(isMailed) }',
      '{ attempts: Number(stored?.attempts ?? 0) + Number(isMailed) }',
    ),
  ],
};

export const mutantNames = Object.keys(mutants);

/** An esbuild plugin that bundles the functions with a mutant in them. */
export const withMutant = (name: string): Plugin =>
  withChanges(`the mutant ${name}`, mutants[name]?.[2] ?? []);
