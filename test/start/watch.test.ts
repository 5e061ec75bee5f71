import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { demo } from '../../lib/openapi/demo.ts';
import { sendRequest } from '../support/send-request.ts';
import { childrenOf, copyOfProject, edited, isRunning, original, start } from './start.ts';

const token = demo.tokens.live;

const service = 'lib/service-function.ts';
const reader = 'lib/stream-reader.ts';

const list = 'functions/list-sandboxes.ts';

const withEdit = (expression: string) =>
  edited(list, ['return { sandboxes,', `return { sandboxes, edit: ${expression},`]);

const listSandboxes = async (url: string) => {
  const { status, body } = await sendRequest(`${url}/v1/sandboxes`, 'GET', { token });
  const { sandboxes, edit } = body as {
    sandboxes: { name: string; status: string }[];
    edit?: unknown;
  };
  return { status, sandboxes, edit };
};

test('what is saved runs at the next request, and no request fails meanwhile', async () => {
  const project = copyOfProject();
  // An endpoint answers 503 before its timeout; on a busy machine a request is held for longer.
  writeFileSync(
    join(project, service),
    edited(service, ['Timeout = Duration.seconds(10)', 'Timeout = Duration.seconds(28)']),
  );
  const run = start(['--watch'], { project });
  const { url } = await run.welcomed();

  const save = (file: string, content: string) => writeFileSync(join(project, file), content);
  const saveByRename = (file: string, content: string) => {
    save(`${file}.new`, content);
    renameSync(join(project, `${file}.new`), join(project, file));
  };
  const get = () => listSandboxes(url);
  const post = (path: string, body: object) => sendRequest(url + path, 'POST', { token, body });
  const editAnswered = async () => (await get()).edit;
  const printed = (text: string | RegExp) => expect.poll(run.output).toMatch(text);

  expect((await post('/v1/sandboxes', { name: 'Before' })).status).toBe(201);

  // Two clients, each with one request after another.
  const answers: { status: number; edit?: unknown }[][] = [[], []];
  let isAsking = true;
  const clients = answers.map(async (got) => {
    while (isAsking) {
      got.push(await get());
      await sleep(100);
    }
  });

  for (let edit = 1; edit <= 12; edit++) {
    const content = withEdit(String(edit));
    // Every way of saving: in place, by renaming, and several times in quick succession.
    if (edit % 3 === 0) saveByRename(list, content);
    else if (edit % 3 === 1) save(list, content);
    else for (const last of [withEdit('-1'), original(list), content]) save(list, last);
    await expect.poll(editAnswered, { interval: 100 }).toBe(edit);
  }
  isAsking = false;
  await Promise.all(clients);
  for (const got of answers) {
    expect(new Set(got.map(({ status }) => status))).toEqual(new Set([200]));
    const edits = got.map(({ edit = 0 }) => Number(edit)).filter((edit) => edit > 0);
    expect(edits).toEqual(edits.toSorted((one, other) => one - other));
  }
  expect(run.output()).toMatch(/functions\/list-sandboxes\.ts saved: rebuilt list-sandboxes \(/);

  // A request that is under way is finished by the code that began it.
  const [begun, end] = ['begun', 'end'].map((name) => join(project, name)) as [string, string];
  const holding = edited(
    list,
    ['const start =', 'const edit = await hold();\n    const start ='],
    ['return { sandboxes,', 'return { sandboxes, edit,'],
  );
  save(
    list,
    `${holding}
     import { existsSync, writeFileSync } from 'node:fs';
     const [begun, end] = ${JSON.stringify([begun, end])};
     const hold = async () => {
       if (existsSync(begun)) return 'free';
       writeFileSync(begun, '');
       while (!existsSync(end)) await new Promise((resolve) => setTimeout(resolve, 5));
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
  await expect.poll(editAnswered).toBe('after');
  writeFileSync(end, '');
  const ended = await Promise.all(asked);
  expect(ended.filter(({ status }) => status !== 200)).toEqual([]);
  expect(ended.filter(({ edit }) => edit === 'held')).toHaveLength(1);

  // The fault is shown, and the earlier code continues to run.
  save(list, `${withEdit("'broken'")}\nexport const broken = (`);
  await printed(
    /list-sandboxes\.ts saved: the previous version keeps running[\s\S]*Unexpected end of file/,
  );
  expect(await get()).toMatchObject({ status: 200, edit: 'after' });

  // The template: environment, memory, a filter and a route.
  save(
    service,
    edited(
      service,
      ['...environment,', `...environment, LOOP: 'on',`],
      ['memorySize: 1024', 'memorySize: 512'],
    ),
  );
  const lowerCase = 'types.map((type) => type.toLowerCase())';
  save(reader, edited(reader, ['{ S: types }', `{ S: ${lowerCase} }`]));
  save(
    'functions/domain/routes.ts',
    edited('functions/domain/routes.ts', ['/v1/offers/{id}/resend', '/v1/offers/{id}/again']),
  );
  save(list, withEdit('[process.env.LOOP, process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE].join()'));
  await expect.poll(editAnswered).toBe('on,512');
  await expect
    .poll(async () => (await post(`/v1/offers/${demo.offers.sent}/again`, {})).status)
    .toBe(200);
  expect((await post('/v1/sandboxes', { name: 'Filtered' })).status).toBe(201);
  const restarts = () => run.output().match(/ restarted \(/g)?.length ?? 0;
  const before = restarts();
  save(reader, original(reader));
  await expect.poll(restarts).toBe(before + 1);
  expect((await post('/v1/sandboxes', { name: 'After' })).status).toBe(201);
  const statuses = async () =>
    Object.fromEntries((await get()).sandboxes.map(({ name, status }) => [name, status]));
  await expect
    .poll(statuses)
    .toEqual({ Before: 'ready', Filtered: 'provisioning', After: 'ready' });

  // A table with other keys cannot run on the data; the next save can.
  save(
    'lib/table.ts',
    edited('lib/table.ts', ['type: AttributeType.STRING', 'type: AttributeType.NUMBER']),
  );
  await printed(
    /table\.ts saved: nothing runs until the next save .*\nTable \S+ exists with other keys/,
  );
  save('lib/table.ts', original('lib/table.ts'));
  await expect.poll(restarts).toBe(before + 2);
  expect(await get()).toMatchObject({ status: 200, edit: 'on,512' });

  const children = childrenOf(run.child.pid).flatMap((child) => [child, ...childrenOf(child)]);
  run.child.kill('SIGINT');
  expect(await run.ended).toBe(0);
  await expect.poll(() => children.filter(isRunning)).toEqual([]);
  expect(readdirSync(join(project, '.build'))).toEqual([]);
}, 900_000);

test.each([[[]], [['--watch']]])(
  'a failure of a function is printed with its cause and its line, started with %j',
  async (args) => {
    const project = copyOfProject();
    const save = (file: string, ...edits: Parameters<typeof edited>[1][]) =>
      writeFileSync(join(project, file), edited(file, ...edits));
    save(list, [
      'const start =',
      "if (query.limit === 7) throw new TypeError('broken');\nconst start =",
    ]);
    const authorizer = 'functions/authorize.ts';
    save(authorizer, [
      'const token =',
      "if (secret.includes('other')) throw new RangeError('far');\nconst token =",
    ]);
    const run = start(args, { project });
    const { url } = await run.welcomed();
    const send = async (token: string) =>
      (await sendRequest(`${url}/v1/sandboxes?limit=7`, 'GET', { token })).status;

    expect(await send(demo.tokens.live)).toBe(500);
    await expect
      .poll(run.output)
      .toMatch(
        /^GET \S+ 500 \d+ ms \S+ \(TypeError: broken at \S+functions\/list-sandboxes\.ts:13:\d+\)$/m,
      );
    expect(await send(demo.tokens.other)).toBe(503);
    await expect
      .poll(run.output)
      .toMatch(/^GET \S+ 503 .*\(.*RangeError: far at \S+functions\/authorize\.ts:21:\d+\)$/m);
  },
);
