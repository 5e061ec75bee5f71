import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './temporary-directory.ts';

test('DynamoDB Local goes when the process that started it is killed', async () => {
  const script = join(temporaryDirectory(), 'start.ts');
  const module = new URL('../dynamodb/dynamodb.ts', import.meta.url).href;
  writeFileSync(
    script,
    `import { startDynamodb } from '${module}';
     const { url } = await startDynamodb();
     console.log(url);
     setInterval(() => {}, 1000);`,
  );
  const TMPDIR = temporaryDirectory();
  const parent = spawn(process.execPath, [script], {
    env: { ...process.env, TMPDIR },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = await once(createInterface({ input: parent.stdout }), 'line');
  expect((await fetch(url)).status).toBe(400);

  parent.kill('SIGKILL');
  await expect.poll(() => fetch(url).catch(() => 'gone')).toBe('gone');
  await expect.poll(() => readdirSync(TMPDIR)).toEqual([]);
});
