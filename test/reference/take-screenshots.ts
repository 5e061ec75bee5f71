import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Command } from 'commander';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { demo } from '../../lib/openapi/demo.ts';
import { laptop, launchChromium, missing, openPage, phone } from './chromium.ts';
import { startLocalRun } from './local-run.ts';

const { limit } = new Command('npm run screenshots --')
  .description(
    "Takes the README's pictures of the reference page again, when the machine is so quiet that a request is as quick as it should be.",
  )
  .option('--limit <ms>', 'how long the request in the picture may take', Number, 100)
  .parse()
  .opts<{ limit: number }>();
const folder = join(import.meta.dirname, '../../bin/reference/screenshots');

/** Waits until the machine is quiet, with requests that are rejected and leave nothing behind. */
const becomeQuiet = async (url: string) => {
  console.log('Waiting until the machine is quiet …');
  for (let quick = 0; quick < 5; ) {
    const started = performance.now();
    await fetch(`${url}/v1/sandboxes`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${demo.tokens.live}` },
    });
    quick = performance.now() - started < limit / 2 ? quick + 1 : 0;
    await setTimeout(200);
  }
};

const takeScreenshots = async (browser: Browser): Promise<string> => {
  const run = await startLocalRun();
  try {
    const open = (options: BrowserContextOptions) => openPage(browser, run.file.reference, options);
    const { page, frame } = await open({ viewport: laptop, colorScheme: 'light' });
    const save = (name: string, of = page) => of.screenshot({ path: join(folder, `${name}.png`) });
    await page.getByText('payment_request.approved').waitFor();
    await save('first-view');

    await frame.locator('a[href$="/POST/v1/sandboxes"]').first().click();
    await frame.getByRole('button', { name: 'Test Request (post /v1/sandboxes)' }).click();
    const dialog = frame.getByRole('dialog', { name: 'API Client' });
    await becomeQuiet(run.file.url);
    await dialog.getByRole('button', { name: 'Send' }).first().click();
    const answer = await dialog
      .getByText(/^[\d.]+m?s$/)
      .first()
      .innerText();
    await page.locator('#sandboxes').getByText('ready', { exact: true }).waitFor();
    await save('request');

    const narrow = await open({ viewport: phone, colorScheme: 'dark' });
    await narrow.frame
      .locator('a[href$="/POST/v1/offers/{id}/resend"]')
      .first()
      .dispatchEvent('click');
    await narrow.frame.getByRole('heading', { name: 'Send an offer again' }).waitFor();
    await save('phone', narrow.page);
    return answer;
  } finally {
    await run.stop();
  }
};

if (missing) throw new Error(missing);
const browser = await launchChromium();
try {
  for (;;) {
    const duration = await takeScreenshots(browser);
    console.log(`The request took ${duration}.`);
    if (Number.parseFloat(duration) * (duration.endsWith('ms') ? 1 : 1000) < limit) break;
  }
} finally {
  await browser.close();
}
