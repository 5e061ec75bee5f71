import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import {
  asText,
  isIntrinsic,
  type Resource,
  type SynthesizedTemplate,
} from '../support/read-template.ts';
import { everything, templateOf, variants } from '../support/synthesize-stage.ts';

/** These have tests that compare them with what they stand for: routes, permissions. */
const provedElsewhere =
  /^AWS::(ApiGateway::(Account|Deployment|Method|Resource)|IAM::\w+|Lambda::Permission|Logs::LogGroup|SQS::QueuePolicy)$/;

/** A value with its references as text, and each metric as one line. */
const readable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== 'object' || value === null) return value;
  if (isIntrinsic(value)) return asText(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      if (name === 'DashboardBody') return [name, readable(JSON.parse(asText(part)))];
      if (name === 'MetricStat') return [name, asLine(part)];
      if (name === 'metrics') return [name, part.map(joined)];
      return [name, readable(part)];
    }),
  );
};

const asLine = ({ Metric, Period, Stat }: Resource['Properties']): string => {
  const dimensions = Metric.Dimensions.map(
    ({ Name, Value }: { Name: string; Value: unknown }) => `${Name}=${asText(Value)}`,
  );
  return [Metric.Namespace, Metric.MetricName, ...dimensions, Stat, `${Period} s`].join(' ');
};

/** A metric of a graph: a namespace, a name and dimensions, and how it is shown. */
const joined = (metric: readonly unknown[]): string =>
  metric.map((each) => (typeof each === 'string' ? each : print(each))).join(' ');

const print = (value: unknown): string =>
  inspect(readable(value), {
    depth: null,
    breakLength: 100,
    compact: 6,
    maxStringLength: null,
    maxArrayLength: null,
  });

const asPage = ({ Resources, Outputs }: SynthesizedTemplate): string => {
  const shown = Object.entries(Resources).filter(([, { Type }]) => !provedElsewhere.test(Type));
  const blocks = shown.map(([id, { Type, Properties, DeletionPolicy, UpdatePolicy }]) => {
    // The bundle's hash changes with every function.
    const { Code, ...properties } = Properties;
    const policies = {
      ...(DeletionPolicy && { DeletionPolicy }),
      ...(UpdatePolicy && { UpdatePolicy }),
    };
    return `${Type} ${id} ${print({ ...properties, ...policies })}\n`;
  });
  const outputs = Object.entries(Outputs).map(([name, { Value }]) => `${name} ${asText(Value)}\n`);
  const page = [...blocks, `Outputs\n${outputs.join('')}`].join('\n');
  // The names of versions and deployments contain a hash of what they hold.
  return page.replace(/(?<=[0-9A-F]{8})[0-9a-f]{32}/g, '');
};

/**
 * No test repeats what a construct says: a change of one shows here, and is read in review.
 * `npm test -- test/stack/template.test.ts -u` writes the snapshots.
 */
test('production with everything is as it was reviewed', async () => {
  await expect(asPage(await templateOf(everything))).toMatchFileSnapshot('production.txt');
});

test.each(variants)('no property in %s is an empty text', async (_, context) => {
  expect(JSON.stringify(await templateOf(context)).match(/"\w+":""/g)).toBeNull();
});

test('each stage has as many resources of each type as were reviewed', async () => {
  const typesOf = async ([, context]: (typeof variants)[number]) =>
    Object.values((await templateOf(context)).Resources).map(({ Type }) => Type);
  const stages = await Promise.all(variants.map(typesOf));
  const lines = [...new Set(stages.flat())].sort().map((type) => {
    const counts = stages.map((types) => types.filter((each) => each === type).length);
    return [type, ...counts].join(' | ');
  });
  const heading = ['type', ...variants.map(([stage]) => stage)].join(' | ');
  await expect(`${[heading, ...lines].join('\n')}\n`).toMatchFileSnapshot('types.txt');
});
