import type { Partition, TableAccess } from '../../functions/contract/access.ts';
import { attributes } from '../../functions/store/attributes.ts';
import { keys } from '../../functions/store/keys.ts';
import type { ServiceFunction } from './service-function.ts';

/** Partitions of the table, as IAM's patterns. */
const partitions: Readonly<Record<Partition, string>> = {
  paymentRequests: keys.paymentRequest('*').pk,
  offers: keys.offer('*').pk,
  workspaces: keys.workspace('*').pk,
  testWorkspaces: keys.workspace('wsp_test_*').pk,
  testAccounts: keys.account('acc_test_*').pk,
  claims: keys.claim('*').pk,
};

/**
 * Allows a function its access. No function deletes approvals, tokens or operators' acts, and no
 * update names an author or an approver (Amazon DynamoDB Developer Guide, "Using IAM policy
 * conditions for fine-grained access control"; a transaction needs the permissions of its writes).
 * IAM cannot require that a PutItem creates an item and replaces none: the condition of each one
 * does, which test/functions/conditional-writes.test.ts checks.
 */
export const allowTable = (
  handler: ServiceFunction,
  tableArn: string,
  { reads, creates = [], checks = [], updates, claims = false }: TableAccess,
): void => {
  handler.allow(
    reads.map((action) => `dynamodb:${action}`),
    tableArn,
  );
  const puts: readonly Partition[] = [...creates, ...(claims ? (['claims'] as const) : [])];
  if (puts.length > 0) handler.allow(['dynamodb:PutItem'], tableArn, within(puts));
  if (checks.length > 0) handler.allow(['dynamodb:ConditionCheckItem'], tableArn, within(checks));
  if (claims) handler.allow(['dynamodb:DeleteItem'], tableArn, within(['claims']));
  if (!updates) return;
  const { partitionKey, sortKey } = attributes;
  const condition = within(updates.in);
  handler.allow(['dynamodb:UpdateItem'], tableArn, {
    ...condition,
    'ForAllValues:StringEquals': {
      'dynamodb:Attributes': [partitionKey, sortKey, ...updates.attributes],
    },
    Null: { ...condition.Null, 'dynamodb:Attributes': 'false' },
  });
};

/** `ForAllValues` alone would allow a request without the key (IAM User Guide). */
const within = (names: readonly Partition[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': names.map((name) => partitions[name]) },
  Null: { 'dynamodb:LeadingKeys': 'false' },
});
