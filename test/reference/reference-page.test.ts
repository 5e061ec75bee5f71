import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { AxeResults } from 'axe-core';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { LiveState } from '../../bin/reference/live-state.ts';
import { startReference } from '../../bin/reference/start-reference.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import type { OperationId } from '../../lib/openapi/operation.ts';
import { operationIds } from '../../lib/openapi/operations.ts';
import { closedPort } from '../support/servers.ts';
import { laptop, launchChromium, missing, type OpenOptions, openPage } from './chromium.ts';
import { type LocalRun, startLocalRun } from './local-run.ts';

const phone = { width: 390, height: 844 };
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// A browser on a starved machine can miss an event of the page: one more try tells that from a fault.
describe.skipIf(missing)('The reference page', { retry: 1 }, () => {
  let browser: Browser;
  let run: LocalRun;

  beforeAll(async () => {
    [browser, run] = await Promise.all([launchChromium(), startLocalRun()]);
  });
  afterAll(async () => {
    await browser?.close();
    await run?.stop();
  });

  const open = (url: string, options?: OpenOptions) => openPage(browser, url, options);

  /** The link to an operation, and its button, which is there once the page has come to it. */
  const controls = (frame: Frame, operation: OperationId) => {
    const { method, path }: Route = routes[operation];
    return {
      link: frame.locator(`a[href$="/${method}${path}"]`).first(),
      button: frame
        .getByRole('button', { name: 'Test Request' })
        .filter({ hasText: `${method.toLowerCase()} ${path}` }),
    };
  };

  const testRequest = async (frame: Frame, operation: OperationId) => {
    const { link, button } = controls(frame, operation);
    // On a phone the navigation is behind a menu. A click that comes before the page is hydrated is lost.
    await vi.waitFor(async () => {
      await link.dispatchEvent('click');
      await button.click({ timeout: 10_000 });
    }, 150_000);
    return frame.getByRole('dialog', { name: 'API Client' });
  };

  /** Sends the request that the page has filled in, and reads the API's answer. */
  const send = async (page: Page, frame: Frame, operation: OperationId) => {
    const dialog = await testRequest(frame, operation);
    const answered = page.waitForResponse((answer) => answer.url().includes('/v1/'));
    await dialog.getByRole('button', { name: 'Send' }).first().click();
    const answer = await answered;
    await dialog.getByText(`${answer.status()} `).first().waitFor();
    return { status: answer.status(), body: await answer.json() };
  };

  const close = async (page: Page, frame: Frame) => {
    await page.keyboard.press('Escape');
    await frame.getByRole('dialog').waitFor({ state: 'hidden' });
  };

  const rowOf = (page: Page, id: string) => page.locator('#live li', { hasText: id });

  /** Sections are there once somebody has come near. */
  const scrollThrough = (frame: Frame) =>
    frame.evaluate(`(async () => {
      for (let y = 0; y < document.documentElement.scrollHeight; y += 400) {
        scrollTo(0, y);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })()`);

  const violations = async (page: Page) => {
    for (const frame of page.frames()) await frame.evaluate(axe);
    const { violations: found }: AxeResults = await page.evaluate('axe.run()');
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  };

  test('sends the request of every operation as it is filled in', async () => {
    const [page, frame] = await open(run.file.reference);
    for (const operation of operationIds) {
      const { status } = await send(page, frame, operation);
      expect([operation, status]).toEqual([operation, routes[operation].status]);
      await close(page, frame);
    }
  });

  test('sends with the token that is chosen by name, and shows the error', async () => {
    const [page, frame] = await open(run.file.reference, { expected: /403/ });
    await page.getByLabel('Token').selectOption('no scopes');

    const { status, body } = await send(page, frame, 'resendOffer');

    expect([status, body.code]).toEqual([403, 'insufficient_scope']);
  });

  test('shows a sandbox provisioning, then ready, and its request', async () => {
    const [page, frame] = await open(run.file.reference);
    const seen: string[] = [];
    await page.exposeFunction('see', (status: string) => seen.push(status));
    await page.evaluate(`new MutationObserver(() => {
      const status = document.querySelector('#sandboxes li .status');
      if (status) see(status.textContent);
    }).observe(document.getElementById('sandboxes'), { childList: true })`);

    const { body } = await send(page, frame, 'createSandbox');

    const row = rowOf(page, body.id);
    await row.getByText('ready', { exact: true }).waitFor();
    expect(seen.indexOf('provisioning')).toBeGreaterThanOrEqual(0);
    expect(seen.lastIndexOf('ready')).toBeGreaterThan(seen.indexOf('provisioning'));
    await row.locator('summary').click();
    await row.getByText('POST /v1/sandboxes').waitFor();
    await row.getByRole('link', { name: 'Create a sandbox' }).click();
    await expect.poll(() => frame.url()).toContain('#tag/sandboxes/POST/v1/sandboxes');
  });

  test('shows the attempt to send an offer, opens its e-mail, and leads back', async () => {
    const [page, frame] = await open(run.file.reference);
    const { body } = await send(page, frame, 'resendOffer');

    const row = rowOf(page, body.delivery.last_attempt.id);
    await row.getByRole('button', { name: 'Read the e-mail' }).click();
    await page.getByRole('heading', { name: 'You have an offer waiting' }).waitFor();
    await page.getByText(body.recipient_email).waitFor();
    expect(await page.locator('#mail-text').innerText()).toContain(`Its reference is ${body.id}`);
    expect(await violations(page)).toEqual([]);

    await page.getByRole('button', { name: 'Back' }).click();
    await row.waitFor();
  });

  test('counts dead letters', async () => {
    const { endpoints, queues } = run.file;
    const [page] = await open(run.file.reference);
    const row = page.getByRole('row', { name: /^outbox/ });
    await row.getByRole('cell', { name: '0', exact: true }).waitFor();

    await new SQSClient({ endpoint: endpoints.sqs }).send(
      new SendMessageCommand({ QueueUrl: queues.outbox?.deadLetters, MessageBody: '{}' }),
    );

    await row.getByRole('cell', { name: '1', exact: true }).waitFor();
    await page.getByText('npm run admin -- dead-letters list').waitFor();
  });

  test('shows on a phone how much is new behind the queue, and the panel in place of the page', async () => {
    const [page, frame] = await open(run.file.reference, { viewport: phone });
    const { body } = await send(page, frame, 'createSandbox');
    await page.getByRole('button', { name: /^Behind the queue\d+$/ }).click();
    await rowOf(page, body.id).waitFor();
    expect(await page.locator('iframe').isVisible()).toBe(false);
  });

  // Each width and each scheme once: what fits depends on the one, what contrasts on the other.
  const views = [
    { viewport: laptop, colorScheme: 'light' },
    { viewport: phone, colorScheme: 'dark' },
  ] as const;
  test.for(views)(
    'has no fault for axe, everything open: $viewport.width $colorScheme',
    // axe takes its time for a page this long.
    { timeout: 180_000 },
    async (view) => {
      const [page, frame] = await open(run.file.reference, view);
      await scrollThrough(frame);
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(view.viewport.width);
      expect(
        await frame.evaluate('document.documentElement.scrollWidth - innerWidth'),
      ).toBeLessThanOrEqual(0);

      await send(page, frame, 'createSandbox');
      expect(await violations(page)).toEqual([]);
      await close(page, frame);
      await (await testRequest(frame, 'resendOffer')).waitFor();
    },
  );

  test('sends every request by keyboard alone', async () => {
    const [page, frame] = await open(run.file.reference);
    for (const operation of operationIds) {
      const { link, button } = controls(frame, operation);
      await link.focus();
      await page.keyboard.press('Enter');
      await button.focus();
      await page.keyboard.press('Enter');
      await frame.getByRole('dialog').waitFor();
      const answered = page.waitForResponse((answer) => answer.url().includes('/v1/'));
      await page.keyboard.press('Control+Enter');
      const { status } = routes[operation];
      expect((await answered).status()).toBe(status);
      await frame.getByRole('dialog').getByText(`${status} `).first().waitFor();
      await close(page, frame);
    }
  });

  test('says when the API is down, and when the whole run has stopped', async () => {
    const live = new LiveState();
    const { url, stop } = await startReference({ api: await closedPort(), mailbox: '', live });
    const [page, frame] = await open(url, { expected: /502|ERR_/ });
    const { status, body } = await send(page, frame, 'listSandboxes');
    expect([status, body.title]).toEqual([502, 'The API does not answer']);

    await stop();
    await page.getByRole('alert').getByText('The local run has stopped').waitFor();
  });
});
