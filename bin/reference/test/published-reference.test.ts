import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { operationIds, operations } from '../../../lib/openapi/operations.ts';
import { serverOf } from '../../../test/support/servers.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { contentTypes } from '../start-reference.ts';
import { launchChromium, missing, openPage } from './chromium.ts';

const api = 'https://api.your.example';
/** What `npm run reference` writes, below a path of a server that does nothing but serve files. */
const publish = async (...options: string[]): Promise<string> => {
  const folder = temporaryDirectory();
  await promisify(execFile)(process.execPath, ['bin/reference.ts', folder, ...options]);
  const url = await serverOf(({ url: path = '' }, response) => {
    const [, name] = /^\/docs\/(.*)$/.exec(path) ?? [];
    if (name === undefined) return response.writeHead(404).end();
    const file = name === '' || name.endsWith('/') ? `${name}index.html` : name;
    return response
      .writeHead(200, { 'Content-Type': contentTypes[extname(file).slice(1)] ?? 'text/plain' })
      .end(readFileSync(join(folder, file)));
  });
  return `${url}/docs/`;
};

test.each([
  [['--api', 'foo'], 'It must be a URL, such as'],
  [['--terms', 'localhost:3000'], 'It must be a URL, such as'],
  [['package.json'], 'cannot be written: EEXIST'],
])('npm run reference -- %j is refused with a line', async (args, fault) => {
  const run = promisify(execFile)(process.execPath, ['bin/reference.ts', ...args]);
  const stderr = expect.stringMatching(`^error: .*${fault}.*\n$`);
  await expect(run).rejects.toMatchObject({ code: 1, stderr });
});

describe.skipIf(missing)('The published reference', () => {
  const support = 'support@your.example';
  const terms = 'https://your.example/terms';
  let browser: Browser;
  let url: string;
  beforeAll(async () => {
    const options = ['--api', api, '--support', support, '--terms', terms];
    [browser, url] = await Promise.all([launchChromium(), publish(...options)]);
  });
  afterAll(() => browser?.close());

  test('leads from a problem to its entry, shows operations, samples and guides, and sends nothing', async () => {
    const { page, faults } = await openPage(browser, `${url}problems/offer_not_sent.html`);
    await page.getByRole('heading', { name: 'offer_not_sent' }).waitFor();
    expect(page.url()).toBe(`${url}#tag/offer-not-sent`);

    await page.locator('a[href$="/POST/v1/offers/{id}/resend"]').first().click();
    await page.getByRole('heading', { name: 'Send an offer again' }).waitFor();
    await page.getByText(`'${api}'`).first().waitFor();
    expect(await page.getByRole('button', { name: /Test/ }).count()).toBe(0);

    await page.getByRole('link', { name: 'Idempotent retries' }).first().click();
    await page.locator('#reference').getByText('Generate a key for each intent').waitFor();

    await page.reload();
    await page.getByRole('heading', { name: 'Idempotent retries' }).waitFor();
    expect(page.url()).toBe(`${url}#tag/idempotent-retries`);
    await page.context().close();
    expect(faults).toEqual([]);
  });

  test("names the installation's support and terms, where they are given", async () => {
    const info = async (base: string) => {
      const response = await fetch(`${base}openapi.json`);
      return ((await response.json()) as { info: object }).info;
    };
    expect(await info(url)).toMatchObject({
      contact: { name: 'Support', email: support },
      termsOfService: terms,
    });
    expect(await info(await publish())).not.toHaveProperty('termsOfService');
  });

  test('shows every operation, and leads to every section, before its script has run', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    onTestFinished(() => page.close());
    await page.goto(url);
    const headings = await page.getByRole('heading', { level: 4 }).allInnerTexts();
    expect(headings).toEqual(operationIds.map((id) => operations[id].summary));
    expect(await page.locator('main').innerText()).toContain('POST /v1/offers/{id}/resend');
    const links = await page.locator('main a[href^="#"]').all();
    for (const link of links) {
      const anchor = decodeURI((await link.getAttribute('href')) ?? '').slice(1);
      expect([anchor, await page.locator(`[id="${anchor}"]`).count()]).toEqual([anchor, 1]);
    }
  });
});
