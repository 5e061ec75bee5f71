import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/domain/routes.ts';
import { waitMsOf } from '../../functions/mail/ses-error.ts';
import { payer, webhook } from '../../lib/consumers/test/synthesize-consumers.ts';
import { functionsOf, mentioned, type Resource, resourcesOf } from '../support/read-template.ts';
import { production, templateOf } from '../support/synthesize-stage.ts';
import { evaluateMath, evaluateSeries } from './metric-math.ts';

const template = await templateOf(production);
const alarms = new Map(
  resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => [
    /lib\/RUNBOOK\.md#(\S+)$/.exec(Properties.AlarmDescription)?.[1] ?? '',
    Properties,
  ]),
);

/** What an alarm compares with its threshold. */
const expressionOf = (metrics: readonly Resource['Properties'][]): string =>
  metrics.find(({ ReturnData }) => ReturnData !== false)?.Expression;

/** Data of an alarm's metrics in one period, by name and statistic; none where a name is absent. */
type Data = Readonly<Record<string, number>>;

/** Whether a period with these data is one that an alarm counts. */
const breaches = (alarm: string, data: Data): boolean => {
  const { Metrics, Threshold } = alarms.get(alarm) ?? {};
  const values = Metrics.filter(({ MetricStat }: Resource['Properties']) => MetricStat).map(
    ({ Id, MetricStat: { Metric, Stat } }: Resource['Properties']) => [
      Id,
      data[`${Metric.MetricName} ${Stat}`],
    ],
  );
  return evaluateMath(expressionOf(Metrics), Object.fromEntries(values)) > Threshold;
};

describe('at low traffic', () => {
  test('an outage is reported, and a single failure of many requests is not', () => {
    const fail = (errors: number, requests: number) =>
      breaches('servererrors', { '5XXError Sum': errors, 'Count SampleCount': requests });
    expect([fail(4, 4), fail(1, 1), fail(5, 400)]).toEqual([true, true, true]);
    expect([fail(0, 4), fail(1, 4), fail(5, 600)]).toEqual([false, false, false]);
  });

  test('the first internal_error is reported', () => {
    expect(breaches('internalerrors', {})).toBe(false);
    expect(breaches('internalerrors', { 'Problem Sum': 1 })).toBe(true);
  });

  test('so is the first endpoint or authorizer that ends without a response', () => {
    expect(breaches('internalerrors', { 'Errors Sum': 1 })).toBe(true);
    const watched = mentioned(alarms.get('internalerrors')?.Metrics);
    const names = ['authorize', ...Object.values(routes).map(({ functionName }) => functionName)];
    const ids = names.map((name) => functionsOf(template).get(name)?.[0]);
    expect(watched.sort()).toEqual(ids.sort());
  });
});

test('a consumer that fails for 15 minutes is reported, whether it crashes or its messages fail', () => {
  expect(breaches('failingconsumers', {})).toBe(false);
  expect(breaches('failingconsumers', { 'Errors Sum': 1 })).toBe(true);
  expect(breaches('failingconsumers', { 'MessageFailed Sum': 1 })).toBe(true);
  const { Metrics, EvaluationPeriods } = alarms.get('failingconsumers') ?? {};
  expect([EvaluationPeriods, mentioned(Metrics).length, Metrics.length]).toEqual([3, 4, 9]);
});

test('what AWS blocks by its own rules is reported when it is many and much, and our limits are not', () => {
  const { Metrics, Threshold } = alarms.get('blockedrequests') ?? {};
  const rings = (byAws?: number, allowed?: number, address?: number, token?: number) => {
    const blocked = (byAws ?? 0) + (address ?? 0) + (token ?? 0) || undefined;
    const values = { blocked, address, token, allowed };
    return evaluateMath(expressionOf(Metrics), values) > Threshold;
  };
  expect([rings(50, 0), rings(60, 500), rings(60, 300, 30, 30)]).toEqual([true, true, true]);
  // One scanner, a smoke run, a few of many, a burst over our limits, nothing.
  expect([rings(40, 3), rings(0, 198), rings(60, 600), rings(2, 0, 500), rings()]).not.toContain(
    true,
  );
  const [[, acl] = []] = resourcesOf(template, 'AWS::WAFv2::WebACL');
  const { Name, VisibilityConfig, Rules } = acl?.Properties ?? {};
  expect(VisibilityConfig.MetricName).toBe(Name);
  const named = [
    VisibilityConfig,
    ...Rules.map((rule: Resource['Properties']) => rule.VisibilityConfig),
  ];
  const known = ['ALL', ...named.map(({ MetricName }) => MetricName)];
  for (const { MetricStat: { Metric } = {} } of Metrics.slice(1)) {
    for (const { Name, Value } of Metric.Dimensions) {
      if (Name !== 'Region') expect(known).toContain(Value);
    }
  }
});

test.each(['throttledrequests', 'throttledconsumers'])('%s watches its functions', (alarm) => {
  expect(breaches(alarm, {})).toBe(false);
  expect(breaches(alarm, { 'Throttles Sum': 1 })).toBe(true);
});

describe.each(['outbox', 'events'])('the reader of the stream for the %s', (reader) => {
  const stopped = `${reader}stopped`;

  test('has an alarm that goes red when it does not poll, also without any data', () => {
    expect(breaches(stopped, {})).toBe(true);
    expect(alarms.get(stopped)).toMatchObject({
      TreatMissingData: 'breaching',
      EvaluationPeriods: 3,
    });
    expect(
      breaches(stopped, { 'PolledEventCount SampleCount': 300, 'PolledEventCount Sum': 0 }),
    ).toBe(false);
  });

  test('has an alarm that goes red when it polls and does not invoke', () => {
    const polls = { 'PolledEventCount SampleCount': 300, 'PolledEventCount Sum': 7 };
    const filtered = (count: number) => ({ ...polls, 'FilteredOutEventCount Sum': count });
    expect([breaches(stopped, polls), breaches(stopped, filtered(6))]).toEqual([true, true]);
    expect(breaches(stopped, filtered(7))).toBe(false);
    expect(breaches(stopped, { ...filtered(6), 'InvokedEventCount Sum': 1 })).toBe(false);
  });
});

/** Also those of the examples: nothing else says that a payment has failed. */
const deadLetterAlarms = [
  ...[...alarms].filter(([name]) => name.endsWith('deadletters')),
  ...[payer, webhook].flatMap(({ template }) =>
    resourcesOf(template, 'AWS::CloudWatch::Alarm')
      .filter(([, { Properties }]) => Properties.Metrics)
      .map(([name, { Properties }]): [string, Resource['Properties']] => [name, Properties]),
  ),
];

describe.each(deadLetterAlarms)('%s', (_, { Metrics, OKActions, ...alarm }) => {
  /** Whether it is red after each minute; '-' is a minute without data. */
  const states = (visible: string, hidden = '') => {
    const read = (text: string) =>
      [...text].map((each) => (each === '-' ? undefined : Number(each)));
    const series = { visible: read(visible), hidden: read(hidden) };
    const growth = evaluateSeries(expressionOf(Metrics), series);
    const isBreaching = (value: number | undefined) => (value ?? 0) > alarm.Threshold;
    return growth.map((_, at) =>
      growth.slice(Math.max(0, at + 1 - alarm.EvaluationPeriods), at + 1).some(isBreaching),
    );
  };

  test('goes red at each new letter, the first one and one among others', () => {
    expect(states('----------111').map(Number).join('')).toBe('0000000000111');
    expect(states(`----------${'1'.repeat(16)}`).at(-1)).toBe(false);
    expect(states('-33334').indexOf(true, 2)).toBe(2);
    expect(states(`${'3'.repeat(20)}4`).indexOf(true)).toBe(20);
    expect(states(`${'3'.repeat(20)}2`, `${'-'.repeat(20)}2`).indexOf(true)).toBe(20);
  });

  test('is over while letters lie there, stays so when one is received or data are late, and does not say so', () => {
    expect(states(`04${'4'.repeat(15)}`).at(-1)).toBe(false);
    expect(states('44434444', '---1----')).not.toContain(true);
    expect(states('444----44')).not.toContain(true);
    expect(states('444321000')).not.toContain(true);
    expect(OKActions).toBeUndefined();
  });

  test('sees a letter whose data come minutes later', () => {
    expect(alarm).toMatchObject({ DatapointsToAlarm: 1, TreatMissingData: 'notBreaching' });
    expect(states('33334-----').at(-1)).toBe(true);
  });
});

test('the alarm for held mails stays red while a message waits for its next try', () => {
  const { Period, EvaluationPeriods, ...alarm } = alarms.get('heldmails') ?? {};
  const waitMs = waitMsOf({ status: 'held', reason: 'not_verified' }, 1);
  // The period of the last try, and the one in which the next try is counted, are both in it.
  expect((EvaluationPeriods - 2) * Period).toBeGreaterThanOrEqual(waitMs / 1000);
  expect(alarm).toMatchObject({ DatapointsToAlarm: 1, TreatMissingData: 'notBreaching' });
});

describe('the runbook', () => {
  const text = readFileSync('lib/RUNBOOK.md', 'utf8');
  /** Each anchor with its heading: the heading's own, or an `<a id>` before it or within it. */
  const headings = new Map(
    [...text.matchAll(/((?:^<a id=.*\n+)*)^#+ (.+)$/gm)].flatMap(([all, , heading = '']) => {
      const own = heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-');
      const ids = [...all.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id);
      return [own, ...ids].map((anchor) => [anchor, heading] as const);
    }),
  );

  // A reader also searches the page for the name. The linter checks the links of pages.
  test('has each alarm by its anchor, at a heading that names it', () => {
    for (const alarm of alarms.keys()) {
      expect(headings.get(alarm)?.toLowerCase().split(/\W+/) ?? [], alarm).toContain(alarm);
    }
  });

  test('has no heading of an alarm that there is not', () => {
    const names = [...headings.values()].flatMap(
      (text) => text.match(/\b(?:[A-Z][a-z]+){2,}\b/g) ?? [],
    );
    expect([...alarms.keys()]).toEqual(
      expect.arrayContaining(names.map((name) => name.toLowerCase())),
    );
  });
});
