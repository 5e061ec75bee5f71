import { routes } from '../../functions/domain/routes.ts';
import { sealCursor } from '../../functions/http/cursor.ts';
import { requestTo } from '../support/function-events.ts';
import { newSandboxes, newTenant } from '../support/tenants.ts';
import { comparisonOf, inTurns } from './in-turns.ts';
import type { Part, Row } from './row.ts';
import { requireSuccess, timeAnswer } from './scenarios.ts';

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
  measure: async (bench) => {
    bench.progress(`paging: loading ${sandboxCount} sandboxes into one workspace`);
    const tenant = await newTenant();
    const sandboxes = await newSandboxes(tenant.workspace, sandboxCount);
    const ids = sandboxes.map(({ id }) => id);
    const list = bench.lambda('list-sandboxes');
    Object.assign(process.env, {
      CURSOR_SECRET_ARN: bench.deployed('list-sandboxes').environment.CURSOR_SECRET_ARN,
    });

    /** Times a page from asking the function to its answer. */
    const page = async ({ towards, parameter }: (typeof walks)[number], number: number) => {
      const before = (number - 1) * pageSize;
      const from = (towards === 'older' ? ids.at(-1 - before) : ids[before]) ?? '';
      const value =
        parameter === 'cursor' ? await sealCursor(tenant.workspace, { towards, from }) : from;
      const query = { [parameter]: value, limit: String(pageSize) };
      const event = requestTo(routes.listSandboxes, { tenant, query });
      return async () => {
        const { tookMs, answer } = await timeAnswer(list, event);
        requireSuccess('list-sandboxes', answer);
        return tookMs;
      };
    };

    const rows: Row[] = [];
    for (const walk of walks) {
      bench.progress(`paging: ${walk.name}`);
      const measures = {
        first: await page(walk, 1),
        thousandth: await page(walk, 1000),
        tenThousandth: await page(walk, 10_000),
      };
      const taken = await inTurns(bench.runs(usualRuns), measures, warmUps);
      const { first, thousandth, tenThousandth } = taken;
      rows.push(
        comparisonOf(`Page 1,000 against page 1: ${walk.name}`, thousandth, first, 1.1),
        comparisonOf(`Page 10,000 against page 1: ${walk.name}`, tenThousandth, first, 1.1),
      );
    }
    await list.stop();
    return rows;
  },
};
