import { join } from 'node:path';
import { Command } from 'commander';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { demo } from '../../../functions/contract/demo.ts';
import { sendRequest } from '../../../test/support/send-request.ts';
import { startLocalRun } from '../../../test/support/start-local-run.ts';
import { AdminError } from '../../command-line/admin-error.ts';
import { runProgram } from '../../command-line/run-program.ts';
import type { StackFile } from '../../stack-file/stack-file.ts';
import { laptop, launchChromium, missing, openPage, phone } from './chromium.ts';

const folder = join(import.meta.dirname, '../screenshots');

const takeScreenshots = async (browser: Browser, { url, reference }: StackFile): Promise<void> => {
  const open = (options: BrowserContextOptions) => openPage(browser, reference, options);
  const { page } = await open({ viewport: laptop, colorScheme: 'light' });
  const save = (name: string, of = page) => of.screenshot({ path: join(folder, `${name}.png`) });
  await page.locator('#connection.ready').waitFor();
  await save('first-view');

  await page.locator('a[href$="/POST/v1/sandboxes"]').first().click();
  await page.getByRole('button', { name: 'Test Request (post /v1/sandboxes)' }).click();
  const dialog = page.getByRole('dialog', { name: 'API Client' });
  // A first request, which is rejected, starts the function of the second one.
  await sendRequest(`${url}/v1/sandboxes`, 'POST', { token: demo.tokens.live });
  await dialog.getByRole('button', { name: 'Send' }).first().click();
  await dialog.getByText('201 ').first().waitFor();
  await page.locator('#sandboxes').getByText('ready', { exact: true }).waitFor();
  await save('request');

  const narrow = await open({ viewport: phone, colorScheme: 'dark' });
  await narrow.page
    .locator('a[href$="/POST/v1/offers/{id}/resend"]')
    .first()
    .dispatchEvent('click');
  await narrow.page.getByRole('heading', { name: 'Send an offer again' }).waitFor();
  await save('phone', narrow.page);
};

const program = new Command('npm run screenshots --')
  .description("Takes the README's pictures of the reference page, with Chromium.")
  .action(async () => {
    if (missing) throw new AdminError(missing);
    const [browser, run] = [await launchChromium(), startLocalRun()];
    try {
      await takeScreenshots(browser, await run.welcomed());
    } finally {
      await run.stop();
      await browser.close();
    }
  });

await runProgram(program);
