import { routes } from '../../functions/domain/routes.ts';
import { sealCursor } from '../../functions/http/cursor.ts';
import { requestTo } from '../support/events.ts';
import { newSandboxes, newTenant } from '../support/tenants.ts';
import { inTurns } from './in-turns.ts';
import type { Part, Row } from './row.ts';
import { requireSuccess } from './scenarios.ts';
import { ratioOf, spreadOf } from './spread.ts';
import { figure } from './table.ts';

const sandboxCount = 200_000;
const pageSize = 10;
const usualRuns = 300;
const warmUps = 50;

/** The three ways of paging; a cursor leads both ways. */
const walks = [
  { name: 'cursor, to older', towards: 'older', parameter: 'cursor' },
  { name: 'cursor, to newer', towards: 'newer', parameter: 'cursor' },
  { name: 'starting_after, to older', towards: 'older', parameter: 'starting_after' },
  { name: 'ending_before, to newer', towards: 'newer', parameter: 'ending_before' },
] as const;

/**
 * A far page against the first one of the same walk: both start behind a sandbox, so that they
 * differ in nothing but how far they are from the beginning of the list.
 */
export const paging: Part = {
  name: 'paging',
  measure: async (world) => {
    world.progress(`paging: loading ${sandboxCount} sandboxes into one workspace`);
    const tenant = await newTenant();
    const sandboxes = await newSandboxes(tenant.workspace, sandboxCount);
    const ids = sandboxes.map(({ id }) => id);
    const list = world.lambda('list-sandboxes');
    Object.assign(process.env, {
      CURSOR_SECRET_ARN: world.deployed('list-sandboxes').environment.CURSOR_SECRET_ARN,
    });

    /** Times a page from asking the function to its answer. */
    const page = async ({ towards, parameter }: (typeof walks)[number], number: number) => {
      const before = (number - 1) * pageSize;
      const from = (towards === 'older' ? ids.at(-1 - before) : ids[before]) ?? '';
      const value =
        parameter === 'cursor' ? await sealCursor(tenant.workspace, { towards, from }) : from;
      const event = requestTo(
        routes.listSandboxes,
        { tenant },
        {
          multiValueQueryStringParameters: { [parameter]: [value], limit: [String(pageSize)] },
        },
      );
      return async () => {
        const asked = performance.now();
        const answer = await list.invoke(event);
        const tookMs = performance.now() - asked;
        requireSuccess('list-sandboxes', answer);
        return tookMs;
      };
    };

    const rows: Row[] = [];
    for (const walk of walks) {
      world.progress(`paging: ${walk.name}`);
      const measures = {
        first: await page(walk, 1),
        thousandth: await page(walk, 1000),
        tenThousandth: await page(walk, 10_000),
      };
      await inTurns(warmUps, measures);
      const { first, thousandth, tenThousandth } = await inTurns(world.runs(usualRuns), measures);
      for (const [number, samples] of [
        ['1,000', thousandth],
        ['10,000', tenThousandth],
      ] as const) {
        rows.push({
          what: `Page ${number} against page 1: ${walk.name}`,
          measured: ratioOf(samples, first),
          unit: '×',
          target: { most: 1.1 },
          note: `${figure(spreadOf(samples).median)} against ${figure(spreadOf(first).median)} ms`,
        });
      }
    }
    await list.stop();
    return rows;
  },
};
