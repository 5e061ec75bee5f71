import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { idempotencyKeyDays } from '../../../functions/domain/idempotency-key.ts';
import type { Item } from '../../../functions/domain/item.ts';
import { redacted } from '../../../functions/domain/redaction.ts';
import { attributes } from '../../../functions/store/attributes.ts';
import { offerItem } from '../../../functions/store/offers.ts';
import { approvalItem, paymentRequestItem } from '../../../functions/store/payment-requests.ts';
import { type Resource, resourceOf } from '../../../test/support/read-template.ts';
import { production, templateOf } from '../../../test/support/synthesize-stage.ts';
import { approvalBy, pendingPaymentRequest, sentOffer } from '../../../test/support/tenants.ts';
import { shapes } from '../table/shapes.ts';

const codeIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** The rows of both tables, by the names in their first cells. */
const rows = readFileSync(join(import.meta.dirname, '../../../lib/DATA.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => {
    const cells = line.split('|').slice(1, -1);
    return { names: codeIn(cells[0]), cells: cells.map((cell) => cell.trim()) };
  });

const rowOf = (name: string): readonly string[] => {
  const [row, ...others] = rows.filter(({ names }) => names.includes(name));
  if (!row || others.length > 0) throw new Error(`lib/DATA.md has not one row of ${name}.`);
  return row.cells;
};

const daysIn = (cell = '') => [...cell.matchAll(/(\d+) days/g)].map(([, days]) => Number(days));

const templates = [await templateOf({}), await templateOf(production)];

test('every type of item has a row, and no other', () => {
  const named = rows.flatMap(({ names }) => names.filter((name) => /^[A-Z_]+$/.test(name)));
  expect(named.sort()).toEqual(Object.keys(shapes).sort());
});

test('what is kept for a time has a row that says how long, and which property; nothing else is kept', () => {
  const resources = templates.flatMap((template) => Object.values(template.Resources));
  const byType = Map.groupBy(resources.flatMap(retentionOf), ({ type }) => type);
  const kept = ['AWS::SQS::Queue', 'AWS::Logs::LogGroup', 'AWS::Events::Archive'];
  expect([...byType.keys()]).toEqual(expect.arrayContaining(kept));
  for (const [type, found] of byType) {
    const [, howLong] = rowOf(type);
    expect([...new Set(found.map(({ days }) => days))], type).toEqual(daysIn(howLong));
    expect(codeIn(howLong), type).toEqual(
      expect.arrayContaining(found.map(({ property }) => property)),
    );
    const unlimited = resources.filter(({ Type }) => Type === type).length - found.length;
    expect([type, unlimited]).toEqual([type, 0]);
  }
});

/** How long a resource keeps what it has, where the template says it. */
const retentionOf = ({ Type: type, Properties }: Resource) =>
  Object.entries(Properties ?? {})
    .filter(([property]) => /Retention/.test(property))
    .map(([property, value]) => {
      const perDay = property === 'MessageRetentionPeriod' ? 24 * 60 * 60 : 1;
      return { type, property, days: value / perDay };
    });

test('the table is backed up, and forgets what expires, as the rows say', () => {
  for (const template of templates) {
    const [, { Properties }] = resourceOf(template, 'AWS::DynamoDB::Table');
    expect(Properties).toMatchObject({
      // 35 days unless RecoveryPeriodInDays says less (AWS CloudFormation).
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      TimeToLiveSpecification: { AttributeName: attributes.timeToLive, Enabled: true },
    });
    const { PointInTimeRecoverySpecification } = Properties;
    expect(PointInTimeRecoverySpecification).not.toHaveProperty('RecoveryPeriodInDays');
  }
  const backups = rows.find(({ cells }) => cells[1]?.includes('PointInTimeRecoverySpecification'));
  expect(daysIn(backups?.cells[1])).toEqual([35]);
  const [, howLong] = rowOf('CLAIM');
  expect(codeIn(howLong)).toEqual([attributes.timeToLive]);
  expect(daysIn(howLong)).toEqual([idempotencyKeyDays]);
});

test('the members that are redacted are those of the rows', () => {
  const request = pendingPaymentRequest({ note: 'a', documents: [1], payment: { id: 'pay_1' } });
  const offer = sentOffer();
  const hashes = { 1: 'a' };
  const items: Item[] = [
    { ...paymentRequestItem('wsp_1', request), hashes },
    approvalItem(approvalBy('', request.id, { reason: 'Why' })),
    { ...offerItem('wsp_1', offer), hashes },
  ];
  const changed = items.map((item) => {
    const after = redacted(item);
    return [item.type, Object.keys(item).filter((name) => after[name] !== item[name])];
  });
  const described = rows
    .filter(({ names: [name = ''], cells }) => name in shapes && codeIn(cells[2]).length > 0)
    .map(({ names, cells }) => [names[0], codeIn(cells[2])]);
  expect(inOrder(described)).toEqual(inOrder(changed));
});

const inOrder = (members: readonly unknown[][]) =>
  Object.fromEntries(members.map(([type, names]) => [type, [...(names as string[])].sort()]));
