import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { StackFile } from '../../bin/local-run/stack-file.ts';
import { routes } from '../../functions/domain/routes.ts';
import { demo } from '../../lib/openapi/demo.ts';
import { operationIds } from '../../lib/openapi/operations.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { sendRequest } from '../support/send-request.ts';
import { violations } from './accessibility.ts';
import { launchChromium, missing, narrowLaptop, openPage, phone } from './chromium.ts';
import {
  brokenWords,
  closeRequest,
  followCrossReferences,
  openAll,
  unusedRules,
} from './page-content.ts';

// A browser on a starved machine can miss an event of the page: one more try distinguishes that
// from a fault.
describe.skipIf(missing)('The reference page', { retry: 1 }, () => {
  let browser: Browser;
  let run: LocalRun;
  let file: StackFile;
  let page: Page;
  let frame: Frame;

  beforeAll(async () => {
    run = startLocalRun();
    [browser, file] = await Promise.all([launchChromium(), run.welcomed()]);
    ({ page, frame } = await openPage(browser, file.reference, { viewport: narrowLaptop }));
  });
  beforeEach(() => page.setViewportSize(narrowLaptop));
  afterAll(async () => {
    await browser?.close();
    await run?.stop();
  });

  const post = (path: string, body?: object) =>
    sendRequest(`${file.url}${path}`, 'POST', { token: demo.tokens.live, body });

  test('leads from every cross-reference to the section that it names', () =>
    followCrossReferences(frame));

  test("names the API's address as the server", async () => {
    const server = frame.locator('.scalar-reference-intro-server');
    expect(await server.innerText()).toContain(file.url);
  });

  test('offers TypeScript first in every menu of samples', async () => {
    const languages = frame.getByRole('tablist', { name: 'Client Libraries' }).getByRole('tab');
    expect(await languages.allInnerTexts()).toEqual(['TypeScript', 'Shell']);
    for (const operation of operationIds) {
      const { method, path } = routes[operation];
      await frame.locator(`a[href$="/${method}${path}"]`).first().click();
      const section = frame.locator(`.references-rendered [id$="/${method}${path}"]`);
      await section.getByRole('button', { name: 'TypeScript' }).click();
      const options = frame.getByRole('listbox').getByRole('option');
      const first = async () => (await options.allInnerTexts()).slice(0, 2);
      await expect.poll(first).toEqual(['TypeScript', 'curl']);
      await page.keyboard.press('Escape');
    }
  });

  test('shows on its button whether the panel is open', async () => {
    const button = page.getByRole('button', { name: 'Behind the queue' });
    const appearance = (): Promise<string[]> =>
      page.evaluate(`(() => {
        const button = document.getElementById('toggle');
        const { backgroundColor } = getComputedStyle(button);
        return [button.ariaExpanded, backgroundColor, getComputedStyle(button, '::before').content];
      })()`);
    for (const viewport of [narrowLaptop, phone]) {
      await page.setViewportSize(viewport);
      const before = await appearance();
      expect(before[0]).toBe(String(viewport === narrowLaptop));
      expect(before[0]).toBe(String(await page.locator('#live').isVisible()));
      await button.click();
      const after = await appearance();
      expect(after[0]).toBe(String(await page.locator('#live').isVisible()));
      for (const [index, value] of after.entries()) expect(value).not.toBe(before[index]);
      await button.click();
    }
  });

  test('has no fault for axe in its search', async () => {
    await frame.getByRole('button', { name: 'Search' }).first().click();
    const search = frame.getByRole('dialog').filter({ has: frame.getByRole('combobox') });
    await search.getByRole('combobox').fill('offer');
    await search.getByText('Send an offer again').first().waitFor();
    const opened = { include: [{ fromFrames: ['iframe', '[role="dialog"]'] }] };
    expect(await violations(page, narrowLaptop, opened)).toEqual([]);
    await page.keyboard.press('Escape');
  });

  describe('with everything open', () => {
    beforeAll(async () => {
      await post('/v1/sandboxes', { name: 'My first sandbox' });
      await post(`/v1/offers/${demo.offers.sent}/resend`);
      for (const type of ['delivery_attempt.sent', 'sandbox.ready']) {
        await page.locator('#events summary', { hasText: type }).waitFor();
      }
      for (const row of await page.locator('summary').all()) await row.click();
      await openAll(frame);
    });

    test('has no style rule and no repair that applies to nothing', async () => {
      const dialog = frame.getByRole('dialog', { name: 'API Client' });
      const unused = async () => ({
        repairs: await frame.evaluate('[...unusedRepairs]'),
        rules: await unusedRules(frame),
      });
      await page.setViewportSize(phone);
      await frame.getByRole('button', { name: 'Selected Auth Type' }).click();
      await page.keyboard.press('Escape');
      await frame.getByRole('button', { name: 'Test Request' }).first().click();
      onTestFinished(async () => void (await closeRequest(page, dialog)));
      await dialog.waitFor();
      await expect.poll(unused).toEqual({ repairs: [], rules: [] });
    });

    test.each([narrowLaptop, phone])('breaks no word, $width pixels wide', async (viewport) => {
      await page.setViewportSize(viewport);
      expect(await brokenWords(frame)).toEqual([]);
      const button = page.getByRole('button', { name: 'Behind the queue' });
      if (viewport === phone) await button.click();
      expect(await brokenWords(page.mainFrame())).toEqual([]);
      const cut = await page.evaluate(`[...document.querySelectorAll('#live, #events *')]
        .filter((each) => each.clientWidth > 0 && each.scrollWidth > each.clientWidth)
        .map((each) => each.textContent)`);
      expect(cut).toEqual([]);
      if (viewport === phone) await button.click();
    });

    test.each([narrowLaptop, phone])(
      'has no fault for axe, $width pixels wide',
      {
        // axe takes its time for a page this long.
        timeout: 900_000,
      },
      async (viewport) => {
        await page.setViewportSize(viewport);
        await frame.getByRole('button', { name: 'Selected Auth Type' }).click();
        expect(await violations(page, viewport, 'document')).toEqual([]);
        await page.keyboard.press('Escape');
        for (const each of [page, frame]) {
          expect(
            await each.evaluate('document.documentElement.scrollWidth - innerWidth'),
          ).toBeLessThanOrEqual(0);
        }
      },
    );
  });
});
