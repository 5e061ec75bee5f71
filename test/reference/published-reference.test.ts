import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { serverOf } from '../support/servers.ts';
import { launchChromium, missing, openPage } from './chromium.ts';

const api = 'https://api.your.example';
const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** What `npm run reference` writes, behind a server that does nothing but serve files. */
const publish = async (...options: string[]): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'reference-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await promisify(execFile)(process.execPath, ['bin/reference.ts', folder, ...options]);
  const url = await serverOf(({ url: path = '' }, response) => {
    const name = path.endsWith('/') ? `${path}index.html` : path;
    response
      .writeHead(200, { 'Content-Type': mediaTypes[extname(name)] ?? 'text/plain' })
      .end(readFileSync(join(folder, name)));
  });
  return `${url}/`;
};

describe.skipIf(missing)('The published reference', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  const open = async (url: string) => {
    const { page, faults } = await openPage(browser, url);
    onTestFinished(async () => {
      await page.context().close();
      expect(faults).toEqual([]);
    });
    return page;
  };

  test('shows operations, samples and guides, and sends nothing', async () => {
    const page = await open(await publish('--api', api));

    await page.locator('a[href$="/POST/v1/offers/{id}/resend"]').first().click();
    await page.getByRole('heading', { name: 'Send an offer again' }).waitFor();
    await page.getByText(`'${api}/v1/offers/ofr_sent/resend'`).waitFor();
    expect(await page.getByRole('button', { name: 'Test Request' }).count()).toBe(0);

    await page.getByRole('link', { name: 'Idempotent retries' }).first().click();
    await page.getByText('Generate a key for each intent').waitFor();
  });

  test('leads from a problem to its entry, and holds the typed client', async () => {
    const url = await publish();
    const page = await open(`${url}problems/offer_not_sent.html`);
    await page.getByRole('heading', { name: 'offer_not_sent' }).waitFor();
    expect(page.url()).toBe(`${url}#tag/offer-not-sent`);

    const client = await fetch(`${url}payments-client.ts`);
    expect(await client.text()).toBe(readFileSync('test/client/payments-client.ts', 'utf8'));
  });

  test("names the installation's support and terms, where they are given", async () => {
    const support = 'support@your.example';
    const terms = 'https://your.example/terms';
    const info = async (url: string) => {
      const response = await fetch(`${url}openapi.json`);
      return ((await response.json()) as { info: object }).info;
    };
    expect(await info(await publish('--support', support, '--terms', terms))).toMatchObject({
      contact: { name: 'Support', email: support },
      termsOfService: terms,
    });
    expect(await info(await publish())).not.toHaveProperty('termsOfService');
  });

  test('shows every operation before its script has run', async () => {
    const url = await publish();
    const page = await browser.newPage({ javaScriptEnabled: false });
    onTestFinished(() => page.close());
    await page.goto(url);
    const headings = await page.getByRole('heading', { level: 2 }).allInnerTexts();
    expect(headings).toEqual([
      'Approve a payment request',
      'Create a sandbox',
      'List sandboxes',
      'Send an offer again',
    ]);
    expect(await page.locator('main').innerText()).toContain('POST /v1/offers/{id}/resend');
  });
});
