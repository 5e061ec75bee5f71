import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { LiveState } from '../../bin/reference/live-state.ts';
import { startReference } from '../../bin/reference/start-reference.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import type { OperationId } from '../../lib/openapi/operation.ts';
import { operationIds } from '../../lib/openapi/operations.ts';
import { closedPort } from '../support/servers.ts';
import { laptop, launchChromium, missing, openPage, phone } from './chromium.ts';
import { type LocalRun, startLocalRun } from './local-run.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// A browser on a starved machine can miss an event of the page: one more try tells that from a fault.
describe.skipIf(missing)('The reference page', { retry: 1 }, () => {
  let browser: Browser;
  let run: LocalRun;
  // To open the page takes seconds, so the tests share one, and leave it as they found it.
  let page: Page;
  let frame: Frame;
  let faults: string[];

  const open = async (url = run.file.reference, view?: BrowserContextOptions) => {
    ({ page, frame, faults } = await openPage(browser, url, view));
  };
  beforeAll(async () => {
    [browser, run] = await Promise.all([launchChromium(), startLocalRun()]);
    await open();
  });
  afterEach(async ({ task }) => {
    const found = faults.splice(0);
    if (task.result?.state === 'fail')
      await page
        .context()
        .close()
        .then(() => open());
    expect(found).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await run?.stop();
  });

  /** The link to an operation, and its button, which is there once the page has come to it. */
  const controls = (operation: OperationId) => {
    const { method, path }: Route = routes[operation];
    return {
      link: frame.locator(`a[href$="/${method}${path}"]`).first(),
      button: frame
        .getByRole('button', { name: 'Test Request' })
        .filter({ hasText: `${method.toLowerCase()} ${path}` }),
    };
  };

  const dialog = () => frame.getByRole('dialog', { name: 'API Client' });

  const testRequest = async (operation: OperationId) => {
    const { link, button } = controls(operation);
    // On a phone the navigation is behind a menu. A click that comes before the page is hydrated is lost.
    await vi.waitFor(async () => {
      await link.dispatchEvent('click');
      await button.click({ timeout: 10_000 });
    }, 150_000);
    await dialog().waitFor();
  };

  /** Sends the request that the page has filled in, and reads the API's answer. */
  const answerTo = async (send: () => Promise<void>) => {
    const answered = page.waitForResponse((answer) => answer.url().includes('/v1/'));
    await send();
    const answer = await answered;
    await dialog().getByText(`${answer.status()} `).first().waitFor();
    return { status: answer.status(), body: await answer.json() };
  };

  const send = async (operation: OperationId) => {
    await testRequest(operation);
    return answerTo(() => dialog().getByRole('button', { name: 'Send' }).first().click());
  };

  const close = async () => {
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
  };

  const rowOf = (id: string) => page.locator('#sandboxes li, #deliveries li', { hasText: id });

  /** Sections are there once somebody has come near. */
  const scrollThrough = () =>
    frame.evaluate(`(async () => {
      for (let y = 0; y < document.documentElement.scrollHeight; y += 400) {
        scrollTo(0, y);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })()`);

  /** What axe finds wrong with a part of the page, or with all of it. */
  const violations = async (part: object | 'document', options: object = {}) => {
    for (const each of page.frames()) await each.evaluate(axe);
    const all = JSON.stringify({ resultTypes: ['violations'], ...options });
    const context = part === 'document' ? part : JSON.stringify(part);
    const found: AxeResults = await page.evaluate(`axe.run(${context}, ${all})`);
    return found.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`,
    );
  };

  test('sends the request of every operation as it is filled in, by keyboard alone', async () => {
    for (const operation of operationIds) {
      const { link, button } = controls(operation);
      await link.focus();
      await page.keyboard.press('Enter');
      await button.focus();
      expect(await button.getAttribute('tabindex')).not.toBe('-1');
      await page.keyboard.press('Enter');
      await dialog().waitFor();
      const { status } = await answerTo(() => page.keyboard.press('Control+Enter'));
      expect([operation, status]).toEqual([operation, routes[operation].status]);
      await close();
    }
  });

  test('sends with the token that is chosen by name, and shows the error', async () => {
    await page.getByLabel('Token').selectOption('no scopes');
    const { status, body } = await send('resendOffer');
    expect([status, body.code]).toEqual([403, 'insufficient_scope']);
    expect(faults.splice(0)).toEqual([expect.stringContaining('403')]);

    await close();
    await page.getByLabel('Token').selectOption('live');
  });

  test('shows a sandbox provisioning, then ready, and its request', async () => {
    const seen: string[] = [];
    await page.exposeFunction('see', (status: string) => seen.push(status));
    await page.evaluate(`new MutationObserver(() => {
      const status = document.querySelector('#sandboxes li .status');
      if (status) see(status.textContent);
    }).observe(document.getElementById('sandboxes'), { childList: true })`);

    const { body } = await send('createSandbox');

    const row = rowOf(body.id);
    await row.getByText('ready', { exact: true }).waitFor();
    expect(seen.indexOf('provisioning')).toBeGreaterThanOrEqual(0);
    expect(seen.lastIndexOf('ready')).toBeGreaterThan(seen.indexOf('provisioning'));
    await close();
    await row.locator('summary').click();
    await row.getByText('POST /v1/sandboxes').waitFor();
    await page.locator('#events li', { hasText: 'sandbox.ready' }).first().waitFor();
    await row.getByRole('link', { name: 'Create a sandbox' }).click();
    await expect.poll(() => frame.url()).toContain('#tag/sandboxes/POST/v1/sandboxes');
  });

  test('shows the attempt to send an offer, opens its e-mail, and leads back', async () => {
    const { body } = await send('resendOffer');
    await close();

    const row = rowOf(body.delivery.last_attempt.id);
    await row.getByRole('button', { name: 'Read the e-mail' }).click();
    await page.getByRole('heading', { name: 'You have an offer waiting' }).waitFor();
    await page.getByText(body.recipient_email).waitFor();
    expect(await page.locator('#mail-text').innerText()).toContain(`Its reference is ${body.id}`);
    for (const viewport of [phone, laptop]) {
      await page.setViewportSize(viewport);
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await violations('document', { iframes: false })).toEqual([]);
      }
    }

    await page.getByRole('button', { name: 'Back' }).click();
    await fetch(`${run.file.mailbox}/clear-store`, { method: 'POST' });
    await row.getByRole('button', { name: 'Read the e-mail' }).click();
    await page.getByText('The mailbox no longer has this e-mail.').waitFor();
    expect(faults.splice(0)).toEqual([expect.stringContaining('404')]);
    await page.getByRole('button', { name: 'Back' }).click();
    await row.waitFor();
  });

  test('counts dead letters', async () => {
    const { endpoints, queues } = run.file;
    const row = page.getByRole('row', { name: /^outbox/ });
    const cell = row.getByRole('cell').last();
    const before = Number(await cell.innerText());

    await new SQSClient({ endpoint: endpoints.sqs }).send(
      new SendMessageCommand({ QueueUrl: queues.outbox?.deadLetters, MessageBody: '{}' }),
    );

    await expect.poll(() => cell.innerText()).toBe(String(before + 1));
    await page.getByText('npm run admin -- dead-letters list').waitFor();
  });

  test('shows on a phone how much is new behind the queue, and the panel in place of the page', async () => {
    await page.setViewportSize(phone);
    const { body } = await send('createSandbox');
    await close();
    await page.getByRole('button', { name: /^Behind the queue\d+$/ }).click();
    await rowOf(body.id).waitFor();
    expect(await page.locator('iframe').isVisible()).toBe(false);

    await page.setViewportSize(laptop);
    await page.locator('iframe').waitFor();
  });

  // Each width and each scheme once: what fits depends on the one, what contrasts on the other. All other
  // rules find the same in both.
  const views = [
    { viewport: laptop, colorScheme: 'light', rules: {} },
    {
      viewport: phone,
      colorScheme: 'dark',
      rules: { runOnly: ['color-contrast', 'target-size', 'meta-viewport'] },
    },
  ] as const;
  test.for(views)(
    'has no fault for axe: $viewport.width $colorScheme',
    // axe takes its time for a page this long.
    { timeout: 300_000 },
    async ({ rules, ...view }) => {
      await page.context().close();
      await open(run.file.reference, view);
      await scrollThrough();
      expect(await violations('document', rules)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(view.viewport.width);
      expect(
        await frame.evaluate('document.documentElement.scrollWidth - innerWidth'),
      ).toBeLessThanOrEqual(0);

      await send('createSandbox');
      const opened = { include: [{ fromFrames: ['iframe', '[role="dialog"]'] }] };
      expect(await violations(opened)).toEqual([]);
    },
  );

  test('says when the API is down, and when the whole run has stopped', async () => {
    const live = new LiveState();
    const { url, stop } = await startReference({ api: await closedPort(), mailbox: '', live });
    await page.context().close();
    await open(url);
    const { status, body } = await send('listSandboxes');
    expect([status, body.title]).toEqual([502, 'The API does not answer']);
    expect(faults.splice(0)).toEqual([expect.stringContaining('502')]);

    await stop();
    await page.getByRole('alert').getByText('The local run has stopped').waitFor();
    for (const fault of faults.splice(0)) expect(fault).toContain('ERR_');
  });
});
