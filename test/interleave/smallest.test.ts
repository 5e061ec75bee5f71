import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stop } from 'esbuild';
import { afterAll, expect, inject, test } from 'vitest';
import { variables } from './cases/function-variables.ts';
import { useTable } from './cases/table.ts';
import type { Case, Platform } from './engine/case.ts';
import { checkCase } from './engine/check.ts';
import { compile } from './engine/instance.ts';
import type { Task } from './engine/steps.ts';

const { dynamodb } = inject('stack').endpoints;
afterAll(stop);

const platformOf = async (source: string): Promise<Platform> => {
  const add = await compile({ source }, variables);
  return { ...(await useTable(dynamodb)), programs: new Map([['add', add]]) };
};

const readAndWrite = `
  import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
  import { documents, table } from './functions/store/client.ts';
  export const handler = async (Key) => {
    const { Item } = await documents.send(new GetCommand({ TableName: table(), Key }));
    const Next = { ...Item, count: Item.count + 1 };
    await documents.send(new PutCommand({ TableName: table(), Item: Next }));
  };`;

const addTwice: Case = {
  name: 'add',
  about: 'two clients add one to a counter',
  faults: 0,
  prepare: (startMs) => {
    const key = { pk: `COUNTER#${startMs}`, sk: 'COUNTER' };
    const client = (letter: string): Task => ({
      letter,
      run: async (invoke) => void (await invoke('add', key)),
    });
    return {
      items: [{ ...key, count: 0 }],
      tasks: [client('A'), client('B')],
      verdict: ({ items: [left] }) => (left?.count === 2 ? [] : [`it counts ${left?.count}`]),
    };
  },
};

test('a schedule in which both read before either writes loses one', async () => {
  const { schedules, violation } = await checkCase(await platformOf(readAndWrite), addTwice);
  expect(schedules).toBe(2);
  expect(violation).toEqual({ line: 'add A1 B1 B2 A2', messages: ['it counts 1'] });
});

test('the README shows this example', () => {
  const [page = '', source = ''] = ['README.md', 'smallest.test.ts'].map((file) =>
    readFileSync(join(import.meta.dirname, file), 'utf8'),
  );
  const [, shown = 'no code'] = /```ts\n(.*?)```/s.exec(page) ?? [];
  expect(source).toContain(shown);
});
