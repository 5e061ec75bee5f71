import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Command } from 'commander';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { numberBetween } from '../../bin/number-argument.ts';
import { demo } from '../../lib/openapi/demo.ts';
import { startLocalRun } from '../support/local-run.ts';
import { sendRequest } from '../support/send-request.ts';
import { laptop, launchChromium, missing, openPage, phone } from './chromium.ts';

const limitMs = numberBetween(1, 60_000, 'A limit is 1 to 60,000 ms.');

const { limit } = new Command('npm run screenshots --')
  .description(
    "Takes the README's pictures of the reference page again, when the machine is so quiet that a request is as quick as it should be.",
  )
  .option('--limit <ms>', 'how long the request in the picture may take', limitMs, 250)
  .parse()
  .opts<{ limit: number }>();
const folder = join(import.meta.dirname, '../../bin/reference/screenshots');

/** Waits until the machine is quiet, with requests that are rejected and leave nothing behind. */
const becomeQuiet = async (url: string) => {
  console.log('Waiting until the machine is quiet …');
  for (let quick = 0; quick < 5; ) {
    const started = performance.now();
    await sendRequest(`${url}/v1/sandboxes`, 'POST', { token: demo.tokens.live });
    quick = performance.now() - started < limit / 2 ? quick + 1 : 0;
    await setTimeout(200);
  }
};

/** How long the request took, as the page shows it. */
const durationMs = (answer: string) => {
  const [, amount, unit] = /([\d.]+) ?(m?s)\b/.exec(answer) ?? [];
  return Number(amount) * (unit === 's' ? 1000 : 1);
};

const takeScreenshots = async (browser: Browser): Promise<number> => {
  const run = startLocalRun();
  try {
    const { url, reference } = await run.welcomed();
    const open = (options: BrowserContextOptions) => openPage(browser, reference, options);
    const { page, frame } = await open({ viewport: laptop, colorScheme: 'light' });
    const save = (name: string, of = page) => of.screenshot({ path: join(folder, `${name}.png`) });
    await page.locator('#events summary', { hasText: 'payment_request.approved' }).waitFor();
    await save('first-view');

    await frame.locator('a[href$="/POST/v1/sandboxes"]').first().click();
    await frame.getByRole('button', { name: 'Test Request (post /v1/sandboxes)' }).click();
    const dialog = frame.getByRole('dialog', { name: 'API Client' });
    await becomeQuiet(url);
    await dialog.getByRole('button', { name: 'Send' }).first().click();
    await dialog.getByText('201 ').first().waitFor();
    const answer = await dialog.locator('section[aria-label="Response"]').innerText();
    await page.locator('#sandboxes').getByText('ready', { exact: true }).waitFor();
    await save('request');

    const narrow = await open({ viewport: phone, colorScheme: 'dark' });
    await narrow.frame
      .locator('a[href$="/POST/v1/offers/{id}/resend"]')
      .first()
      .dispatchEvent('click');
    await narrow.frame.getByRole('heading', { name: 'Send an offer again' }).waitFor();
    await save('phone', narrow.page);
    return durationMs(answer);
  } finally {
    await run.stop();
  }
};

if (missing) throw new Error(missing);
const browser = await launchChromium();
try {
  for (;;) {
    const duration = await takeScreenshots(browser);
    console.log(`The request took ${duration} ms.`);
    if (duration < limit) break;
  }
} finally {
  await browser.close();
}
