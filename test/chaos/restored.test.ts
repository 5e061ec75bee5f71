import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, test as base, beforeAll, expect } from 'vitest';
import { isBeginning, isCompanion } from '../../bin/admin/kinds/all.ts';
import { type Item, scan } from '../../bin/admin/table/scan.ts';
import { stackFileOf } from '../../bin/local-run/stack-file.ts';
import { attemptOf, mailsIn } from '../../bin/reference/mails.ts';
import { adminAt, file, newTable, stackFile, violationsAt } from '../admin/run-admin.ts';
import type { FaultyService } from '../support/faulty-service.ts';
import { startServiceOfFile } from '../support/faulty-stack.ts';
import { parseLines } from '../support/json-lines.ts';
import { isSuccess } from '../support/keyed-operations.ts';
import { removeAll } from '../support/put-all.ts';
import { newToken } from '../support/tenants.ts';
import { type Company, keyedOperations, newCompany, sendStep } from './companies.ts';
import { type ClientStep, history } from './history.ts';
import { eventIds, readCompany } from './verdict.ts';

const seed = 34;
const stepsOfPhase = 24;

/** As many requests as a phase has, each with a key of its own. */
const stepsFrom = (first: number): ClientStep[] =>
  fc
    .sample(history, { seed: seed + first, numRuns: stepsOfPhase })
    .flatMap(({ steps }) => steps)
    .slice(0, stepsOfPhase)
    .map((step, index) => ({ ...step, key: first + index }));

/** A request, and the id of the effect that its client knows. */
interface Done {
  readonly step: ClientStep;
  readonly effect: string;
}

let service: FaultyService;
let companies: Company[];
/** Those of the files that ran before in this process, whose mailbox it is. Some are duplicates. */
let mailsOfOthers: number;
beforeAll(async () => {
  service = await startServiceOfFile();
  mailsOfOthers = (await mailsIn(service.stack.mailbox)).length;
  companies = [await newCompany(), await newCompany()];
});
afterAll(() => service.stop());

const effectOf = async (from: readonly Company[], step: ClientStep): Promise<string> => {
  const { status, text } = await sendStep(service.stack.url ?? '', from, step);
  expect(isSuccess({ status }), `${status} ${text}`).toBe(true);
  return keyedOperations[step.operation].effectOf(JSON.parse(text));
};

const doAll = (steps: readonly ClientStep[]): Promise<Done[]> =>
  Promise.all(steps.map(async (step) => ({ step, effect: await effectOf(companies, step) })));

const itemsOf = async (TableName: string): Promise<Map<string, Item>> => {
  const items = await Array.fromAsync(scan({ TableName }));
  return new Map<string, Item>(items.map((item) => [`${item.pk} ${item.sk}`, item]));
};

/** Waits until nothing is on its way. */
const waitForConsumers = async (table: string) => {
  const waiting = async () => [...(await itemsOf(table)).values()].filter(isWaiting);
  await expect.poll(waiting).toEqual([]);
};

const isWaiting = (item: Item) => item.type !== 'PAYMENT_REQUEST' && isBeginning(item);

const mailedAttempts = async () =>
  (await mailsIn(service.stack.mailbox)).slice(mailsOfOthers).map(attemptOf).sort();

/** What waited for its message at some second in between, as it was then. */
const asItBegan = (ended: Item): Item => {
  const { message_id: _, sent_at: __, ...item } = ended;
  const { type, created } = item;
  if (type === 'SANDBOX') return { ...item, status: 'provisioning', updated: created };
  // A companion of a sandbox never waited.
  const hasWaited = type === 'DELIVERY' && !isCompanion(item);
  return hasWaited ? { ...item, status: 'queued', updated: created } : ended;
};

/** A mixture of two states in which transactions between them are torn. */
const torn = (
  before: ReadonlyMap<string, Item>,
  after: ReadonlyMap<string, Item>,
  coins: readonly boolean[],
): Item[] =>
  [...after].flatMap(([name, item], index): Item[] => {
    const older = before.get(name);
    if (coins[index]) return [older || coins[index + itemsAtMost] ? item : asItBegan(item)];
    return older ? [older] : [];
  });

/** Two coins for each item. */
const itemsAtMost = 2000;
const coinsFor = (way: number) =>
  fc.sample(fc.boolean(), { seed: seed + way, numRuns: 2 * itemsAtMost });

const restored = async (table: string, ...args: string[]) => {
  const at = stackFile({ ...stackFileOf(service.stack, service.stack.url ?? ''), table });
  const report = file('found.jsonl', '');
  const run = await adminAt(at, 'restore', '--yes', '--json', '--report', report, ...args);
  expect([run.code, run.code === 0 || run.stdout]).toEqual([0, true]);
  return parseLines(readFileSync(report, 'utf8'));
};

const violationsOf = (table: string) =>
  violationsAt(stackFile({ table, endpoints: service.stack.endpoints }));

/** Sends every request again: what of it is a second effect, or a lost one that nothing lists. */
const sendAgain = async (
  from: readonly Company[],
  done: readonly Done[],
  kept: ReadonlyMap<string, Item>,
  findings: readonly Record<string, unknown>[],
): Promise<string[]> => {
  const ids = new Set([...kept.values()].map(({ id }) => id));
  const listed = (kind: string, effect: string) =>
    findings.some(({ finding, sk }) => finding === kind && String(sk).endsWith(`#${effect}`));
  const faults: string[] = [];
  for (const { step, effect } of done) {
    const again = await effectOf(from, step);
    if (!ids.has(effect) && !listed('lost', effect)) faults.push(`${effect} is not listed as lost`);
    if (!ids.has(effect) || again === effect || listed('effect_without_claim', effect)) continue;
    faults.push(`${effect} was kept and done again as ${again}`);
  }
  return faults;
};

/** What every test starts from. */
interface Load {
  readonly done: readonly Done[];
  readonly at: string;
  /** The table as it was restored, but for what its transactions have torn. */
  readonly restoredWith: (way: number) => Promise<string>;
  readonly atThatSecond: readonly Item[];
  readonly inService: ReadonlyMap<string, Item>;
}

const test = base.extend('load', { scope: 'file' }, async (): Promise<Load> => {
  const table = service.stack.outputs.TableName ?? '';
  const first = await doAll(stepsFrom(0));
  await waitForConsumers(table);
  const before = await itemsOf(table);
  const recent = await doAll(stepsFrom(100));
  const [at, after] = [new Date().toISOString(), await itemsOf(table)];
  const last = await doAll(stepsFrom(200));
  await waitForConsumers(table);
  // What is published later would look like the work of a restore.
  const expected = (await Promise.all(companies.map(readCompany))).flatMap(eventIds);
  const missing = () => {
    const published = new Set(service.events.map(({ detail }) => (detail as { id: string }).id));
    return expected.filter((id) => !published.has(id));
  };
  await expect.poll(missing).toEqual([]);
  return {
    done: [...first, ...recent, ...last],
    at,
    restoredWith: (way) => newTable(torn(before, after, coinsFor(way))),
    atThatSecond: [...after.values()],
    inService: await itemsOf(table),
  };
});

test('the table in service, repaired: nothing is done, published or mailed twice', async ({
  load,
}) => {
  const { done, at, atThatSecond, restoredWith } = load;
  const table = service.stack.outputs.TableName ?? '';
  const beside = await restoredWith(2);
  const coins = coinsFor(3);
  const lost = atThatSecond.filter((_, index) => coins[index]);
  await removeAll(lost, table);
  const [published, mailed] = [service.events.length, await mailedAttempts()];

  const findings = await restored(table, '--from', beside, '--at', at);

  expect(await violationsOf(table)).toEqual([]);
  await waitForConsumers(table);
  const fresh = service.events.slice(published).filter((event) => !('replay-name' in event));
  expect([fresh, await mailedAttempts()]).toEqual([[], mailed]);
  const kept = await itemsOf(table);
  // A token that came back is revoked.
  const withTokens = await Promise.all(
    companies.map(async (company) => ({ ...company, token: await newToken(company) })),
  );
  // What neither table has is known to its events alone.
  const faults = await sendAgain(withTokens, done, kept, findings);
  expect(faults.filter((fault) => !fault.endsWith('is not listed as lost'))).toEqual([]);
  await waitForConsumers(table);
  const mails = await mailedAttempts();
  expect(mails).toEqual([...new Set(mails)]);
});

test('a restored table in service: what it kept is done once, what it lost is listed', async ({
  load,
}) => {
  const { done, at, inService, restoredWith } = load;
  const old = await newTable([...inService.values()]);
  const table = await restoredWith(1);

  const findings = await restored(old, '--into', table, '--from', old, '--at', at);

  expect(await violationsOf(table)).toEqual([]);
  const kept = await itemsOf(table);
  expect([...kept.values()].filter(isWaiting)).toEqual([]);
  await service.stop();
  service = await startServiceOfFile({ environment: { TABLE_NAME: table } });
  expect(await sendAgain(companies, done, kept, findings)).toEqual([]);
});
