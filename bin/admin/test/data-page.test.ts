import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { idempotencyKeyDays } from '../../../functions/domain/idempotency-key.ts';
import { redacted } from '../../../functions/domain/redaction.ts';
import { attributes } from '../../../functions/store/attributes.ts';
import { offerItem } from '../../../functions/store/offers.ts';
import { approvalItem, paymentRequestItem } from '../../../functions/store/payment-requests.ts';
import {
  type Resource,
  resourceOf,
  resourcesOf,
  type SynthesizedTemplate,
} from '../../../test/support/read-template.ts';
import { production, templateOf } from '../../../test/support/synthesize-stage.ts';
import { pendingPaymentRequest, sentOffer } from '../../testing/tenants.ts';
import type { Item } from '../table/scan.ts';
import { shapes } from '../table/shapes.ts';

interface Row {
  readonly names: readonly string[];
  readonly cells: readonly string[];
}

const codeIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** The rows of both tables, by the names in their first cells. */
const rows: readonly Row[] = readFileSync(join(import.meta.dirname, '../../../lib/DATA.md'), 'utf8')
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

let templates: readonly SynthesizedTemplate[];
beforeAll(async () => {
  templates = [await templateOf({}), await templateOf(production)];
});

test('every type of item has a row, and no other', () => {
  const named = rows.flatMap(({ names }) => names.filter((name) => /^[A-Z_]+$/.test(name)));
  expect(named.sort()).toEqual(Object.keys(shapes).sort());
});

test('what the template keeps for a time has a row that says how long, and which property', () => {
  const retained = (template: SynthesizedTemplate, property: string) =>
    Object.values(template.Resources).filter(({ Properties }) => property in (Properties ?? {}));
  const propertiesIn = ({ Properties }: Resource) =>
    Object.keys(Properties ?? {}).filter((name) => /Retention/.test(name));
  const properties = new Set(
    templates.flatMap(({ Resources }) => Object.values(Resources).flatMap(propertiesIn)),
  );
  expect(properties.size).toBeGreaterThan(2);
  for (const property of properties) {
    const resources = templates.map((template) => retained(template, property));
    const [type = ''] = new Set(resources.flat().map(({ Type }) => Type));
    const [, howLong] = rowOf(type);
    const perDay = property === 'MessageRetentionPeriod' ? 24 * 60 * 60 : 1;
    const days = resources.flatMap((all) => [
      ...new Set(all.map(({ Properties }) => Properties[property] / perDay)),
    ]);
    expect([...new Set(days)], type).toEqual(daysIn(howLong));
    expect(codeIn(howLong), type).toContain(property);
  }
});

test.each(['AWS::SQS::Queue', 'AWS::Logs::LogGroup', 'AWS::Events::Archive'])(
  'no %s is kept for ever',
  (type) => {
    for (const template of templates) {
      for (const [id, { Properties }] of resourcesOf(template, type)) {
        const isLimited = Object.keys(Properties).some((name) => /Retention/.test(name));
        expect([id, isLimited]).toEqual([id, true]);
      }
    }
  },
);

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
  const [created, payment_request] = [request.created, request.id];
  const items: Item[] = [
    { ...paymentRequestItem('wsp_1', request), hashes },
    approvalItem({ id: 'apprdec_1', payment_request, approver: '', reason: 'Why', created }),
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
