/**
 * Draws requests as tenants of very different sizes would send them, finds with the service's own
 * keys which partition keys they touch, and says which one becomes too hot first, and when.
 */
import { Command, InvalidArgumentError } from 'commander';
import { seeded, weighted } from './random.ts';
import { figure } from './table.ts';
import { type DrawnRequest, touchesOf } from './touches.ts';

/** Units a second of one partition ("Designing partition keys to distribute your workload"). */
const partitionLimits = { writes: 1000, reads: 3000 } as const;
/** Units a second of a table on demand, unless AWS was asked for more ("Quotas in DynamoDB"). */
const tableLimits = { writes: 40_000, reads: 40_000 } as const;
type Kind = keyof typeof partitionLimits;

/** Of a hundred requests. */
const mix = { list: 50, approve: 30, resend: 15, create: 5 } as const;
/** Of the POSTs, those with an Idempotency-Key. */
const keyedShare = 0.5;
/** Payment requests, and offers, that a tenant works on at a time. */
const targetsPerTenant = 1000;

const rates = [10, 1000, 100_000] as const;
const tenantCount = 10_000;

const count = (text: string) => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Give a whole number above 0.');
  return Number(text);
};

const options = new Command('npm run simulate --')
  .description(
    'Draws the keys that requests touch, of many tenants with skewed sizes and of one alone, and holds the hottest partition against what DynamoDB serves.',
  )
  .option('--seed <number>', 'repeats a run', count, 1)
  .option('--requests <number>', 'how many to draw of each population', count, 200_000)
  .parse()
  .opts<{ seed: number; requests: number }>();

/** Prints what a population takes at each rate, and the rates at which it meets its walls. */
const simulate = (population: string, tenants: number): void => {
  const random = seeded(options.seed);
  const drawTenant = weighted(
    Array.from({ length: tenants }, (_, rank) => 1 / (rank + 1)),
    random,
  );
  const operations = Object.keys(mix) as (keyof typeof mix)[];
  const drawOperation = weighted(Object.values(mix), random);

  const taken = { writes: new Map<string, number>(), reads: new Map<string, number>() };
  let ofLargest = 0;
  for (let index = 0; index < options.requests; index++) {
    const tenant = drawTenant();
    if (tenant === 0) ofLargest += 1;
    const operation = operations[drawOperation()] ?? 'list';
    const keyed = operation !== 'list' && random() < keyedShare;
    const request: DrawnRequest = {
      operation,
      tenant: String(tenant + 1),
      target: `${tenant + 1}_${Math.floor(random() * targetsPerTenant)}`,
      fresh: `new_${index}`,
      ...(keyed && { key: String(index) }),
    };
    for (const { pk, ...units } of touchesOf(request)) {
      for (const kind of ['writes', 'reads'] as const) {
        taken[kind].set(pk, (taken[kind].get(pk) ?? 0) + (units[kind] ?? 0));
      }
    }
  }

  const share = ((100 * ofLargest) / options.requests).toFixed(1);
  console.log(`\n${population} (the largest sends ${share} %)\n`);
  const walls: { sentence: string; requestsPerSecond: number }[] = [];
  for (const kind of ['writes', 'reads'] as const) {
    const [pk, units] = hottest(taken[kind]);
    const inTable = [...taken[kind].values()].reduce((sum, each) => sum + each, 0);
    print(kind, pk, units, inTable);
    walls.push(
      {
        sentence: `${pk} takes ${partitionLimits[kind]} ${kind}/s, a partition's limit`,
        requestsPerSecond: (partitionLimits[kind] * options.requests) / units,
      },
      {
        sentence: `the table takes ${tableLimits[kind]} ${kind}/s, its quota until AWS raises it`,
        requestsPerSecond: (tableLimits[kind] * options.requests) / inTable,
      },
    );
  }
  walls.sort((one, other) => one.requestsPerSecond - other.requestsPerSecond);
  for (const { sentence, requestsPerSecond } of walls) {
    console.log(`at ${rounded(requestsPerSecond).padStart(9)} requests/s ${sentence}`);
  }
};

const hottest = (taken: ReadonlyMap<string, number>): [string, number] => {
  let most: [string, number] = ['', 0];
  for (const entry of taken) if (entry[1] > most[1]) most = entry;
  return most;
};

const print = (kind: Kind, pk: string, units: number, inTable: number): void => {
  for (const rate of rates) {
    const perSecond = (units * rate) / options.requests;
    const percent = figure((100 * perSecond) / partitionLimits[kind]);
    console.log(
      [
        `${rounded(rate).padStart(9)} requests/s:`,
        `hottest for ${kind} is ${pk}`.padEnd(38),
        `${figure(perSecond)}/s,`.padStart(10),
        `${percent} % of its limit;`.padStart(24),
        `the table ${figure((inTable * rate) / options.requests)}/s`,
      ].join(' '),
    );
  }
};

const rounded = (value: number): string => Math.round(value).toLocaleString('en');

console.log(
  `${options.requests} requests of each population, seed ${options.seed}. Of a hundred: ${Object.entries(
    mix,
  )
    .map(([operation, share]) => `${share} ${operation}`)
    .join(', ')}; ${100 * keyedShare} % of the POSTs with a key.`,
);
simulate(
  `${tenantCount} tenants, the n-th largest with 1/n of the largest's requests`,
  tenantCount,
);
simulate('One tenant', 1);
