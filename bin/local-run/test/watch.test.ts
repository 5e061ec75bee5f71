import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendRequest } from '../../../test/support/send-request.ts';
import { childrenOf } from '../../../test/support/start-local-run.ts';
import { copyOfProject, edited, isRunning, start } from './start.ts';

test('--watch runs what is saved, and says what needs a restart', async () => {
  const project = copyOfProject();
  const list = 'functions/list-sandboxes.ts';
  const routes = 'functions/domain/routes.ts';
  const contract = 'functions/resend-offer.contract.ts';
  const withEdit = (edit: string) =>
    edited(list, ['return { sandboxes,', `return { sandboxes, edit: ${edit},`]);
  const save = (file: string, content: string) => writeFileSync(join(project, file), content);
  const run = start(['--watch'], { project });
  const { url, tokens } = await run.welcomed();
  const get = async () => {
    const { status, body } = await sendRequest(`${url}/v1/sandboxes`, 'GET', {
      token: tokens.live,
    });
    return { status, edit: body.edit };
  };
  const restarts = () => run.output().match(/needs a restart/g)?.length ?? 0;

  // A request that is under way is finished by the code that began it.
  const [begun, end] = [join(project, 'begun'), join(project, 'end')];
  save(
    list,
    `${edited(list, ['const start =', 'const edit = await hold();\n const start ='], ['return { sandboxes,', 'return { sandboxes, edit,'])}
     import { existsSync, writeFileSync } from 'node:fs';
     const hold = async () => {
       if (existsSync('${begun}')) return 'free';
       writeFileSync('${begun}', '');
       while (!existsSync('${end}')) await new Promise((resolve) => setTimeout(resolve, 5));
       return 'held';
     };`,
  );
  const asked: ReturnType<typeof get>[] = [];
  await expect
    .poll(() => {
      asked.push(get());
      return existsSync(begun);
    })
    .toBe(true);
  save(list, withEdit("'after'"));
  await expect.poll(async () => (await get()).edit).toBe('after');
  writeFileSync(end, '');
  expect(await Promise.all(asked)).toContainEqual({ status: 200, edit: 'held' });

  // The fault is shown, and the earlier code continues to run.
  save(list, `${withEdit("'broken'")}\nexport const broken = (`);
  await expect.poll(run.output).toMatch(/Unexpected end of file[\s\S]*the earlier code runs on/);
  expect(await get()).toEqual({ status: 200, edit: 'after' });
  save(list, withEdit("'repaired'"));
  await expect.poll(async () => (await get()).edit).toBe('repaired');

  expect(restarts()).toBe(0);
  save(routes, edited(routes, ['/v1/offers/{id}/resend', '/v1/offers/{id}/again']));
  await expect.poll(restarts).toBe(1);
  save(contract, edited(contract, ["reads: ['GetItem']", "reads: ['GetItem', 'Query']"]));
  await expect.poll(restarts).toBe(2);
  save('functions/new-one.ts', 'export const handler = () => {};');
  await expect.poll(restarts).toBe(3);

  const children = childrenOf(run.child.pid).flatMap((child) => [child, ...childrenOf(child)]);
  run.child.kill('SIGINT');
  expect(await run.ended).toBe(0);
  await expect.poll(() => children.filter(isRunning)).toEqual([]);
});
