import { setTimeout as sleep } from 'node:timers/promises';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Browser, Frame, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { StackFile } from '../../bin/local-run/stack-file.ts';
import { LiveState } from '../../bin/reference/live-state.ts';
import { attemptOf, mailsIn } from '../../bin/reference/mails.ts';
import { startReference } from '../../bin/reference/start-reference.ts';
import { routes } from '../../functions/domain/routes.ts';
import type { OperationId } from '../../lib/openapi/operation.ts';
import { operationIds, operations } from '../../lib/openapi/operations.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { sendRequest } from '../support/send-request.ts';
import { closedPort } from '../support/servers.ts';
import { violations } from './accessibility.ts';
import { laptop, launchChromium, missing, openPage, phone } from './chromium.ts';
import { closeRequest } from './page-content.ts';

// A browser on a starved machine can miss an event of the page: one more try distinguishes that
// from a fault.
describe.skipIf(missing)('The reference page', { retry: 1 }, () => {
  let browser: Browser;
  let run: LocalRun;
  let file: StackFile;
  // To open the page takes seconds, so the tests share one, and leave it as they found it.
  let page: Page;
  let frame: Frame;
  let faults: string[];

  const open = async () => {
    ({ page, frame, faults } = await openPage(browser, file.reference));
  };
  /** Forgets what was opened, and the bodies and parameters that were changed. */
  const openAnew = async () => {
    await page.context().close();
    await open();
  };
  beforeAll(async () => {
    run = startLocalRun();
    [browser, file] = await Promise.all([launchChromium(), run.welcomed()]);
    await open();
  });
  afterEach(async ({ task }) => {
    const found = faults.splice(0);
    if (task.result?.state === 'fail') await openAnew();
    expect(found).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await run?.stop();
  });

  /** The link to an operation, and its button, which is there once the page has come to it. */
  const controls = (operation: OperationId) => {
    const { method, path } = routes[operation];
    return {
      link: frame.locator(`a[href$="/${method}${path}"]`).first(),
      // By its class: to look for a role and a name in a page this long takes Playwright seconds.
      button: frame.locator('.show-api-client-button', {
        hasText: `Test Request(${method.toLowerCase()} ${path})`,
      }),
    };
  };

  const dialog = () => frame.getByRole('dialog', { name: 'API Client' });

  const testRequest = async (operation: OperationId) => {
    const { link, button } = controls(operation);
    // On a phone the navigation is behind a menu. A click that comes before the page is hydrated is
    // lost.
    const clickThrough = async () => {
      await link.dispatchEvent('click');
      await button.click({ timeout: 10_000 });
      return 'clicked';
    };
    await expect.poll(clickThrough).toBe('clicked');
    await dialog().waitFor();
  };

  /** Sends the request that the page has filled in; reads what was sent and the API's answer. */
  const answerTo = async (send: () => Promise<void>) => {
    const answered = page.waitForResponse((answer) => answer.url().includes('/v1/'));
    await send();
    const answer = await answered;
    await dialog().getByText(`${answer.status()} `).first().waitFor();
    return {
      status: answer.status(),
      body: await answer.json(),
      key: answer.request().headers()['idempotency-key'],
      replayed: answer.headers()['idempotent-replayed'],
    };
  };

  const pressSend = () =>
    answerTo(() => dialog().getByRole('button', { name: 'Send' }).first().click());

  const send = async (operation: OperationId) => {
    await testRequest(operation);
    return pressSend();
  };

  const close = () => closeRequest(page, dialog());

  const rowOf = (id: string) => page.locator('#sandboxes li, #deliveries li', { hasText: id });

  /** Opens an operation's request at its Tab stop. The surrounding page's controls come first. */
  const openByKeyboard = async (operation: OperationId) => {
    await page.locator('#toggle').focus();
    for (let tabs = 0; tabs <= operationIds.indexOf(operation); tabs += 1) {
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await dialog().waitFor();
  };

  const tabTo = async (selector: string) => {
    const isThere = `document.activeElement.matches(${JSON.stringify(selector)})`;
    while (!(await frame.evaluate(isThere))) await page.keyboard.press('Tab');
  };

  test('sends the request of every operation as it is filled in, by keyboard alone', async () => {
    for (const operation of operationIds) {
      await openByKeyboard(operation);
      const { status } = await answerTo(() => page.keyboard.press('Control+Enter'));
      expect([operation, status]).toEqual([operation, routes[operation].status]);
      await close();
      await expect
        .poll(() => frame.locator(':focus:not(body)').first().textContent())
        .toContain(operations[operation].summary);
    }
  });

  test('sends the key that it shows, replays what is sent again, and shows a new key when it is opened again', async () => {
    const shownKey = async () =>
      /^Idempotency-Key\s+(\S+)$/m.exec(await dialog().innerText())?.[1] ?? 'no key';
    const made: string[] = [];
    for (const operation of operationIds.filter((id) => routes[id].method === 'POST')) {
      for (let opened = 0; opened < 2; opened += 1) {
        await testRequest(operation);
        const key = await shownKey();
        const { status } = routes[operation];
        const first = await pressSend();
        expect(first).toMatchObject({ status, key, replayed: undefined });
        expect(await pressSend()).toEqual({ ...first, replayed: 'true' });
        expect(await shownKey()).toBe(key);
        await close();
        const { id, approvals, delivery } = first.body;
        made.push(key, approvals?.at(-1) ?? delivery?.last_attempt.id ?? id);
      }
    }
    expect(new Set(made).size).toBe(12);
    const attempts = made.filter((each) => each.startsWith('dlv_'));
    const mailed = async () =>
      (await mailsIn(file.mailbox)).map(attemptOf).filter((each) => attempts.includes(each));
    await expect.poll(mailed).toEqual(expect.arrayContaining(attempts));
    expect(await mailed()).toHaveLength(attempts.length);
  });

  test('changes a body and a parameter, and reaches the errors, by keyboard alone', async () => {
    const places = [
      // Tab indents in an editor, which says that Escape ends that.
      ['createSandbox', '.cm-content', [], '{}', ['Escape', 'Tab']],
      ['listSandboxes', '[aria-label="Include limit in request"]', ['Tab', 'Tab'], '1000', []],
    ] as const;
    for (const [operation, place, before, text, after] of places) {
      await openByKeyboard(operation);
      await tabTo(place);
      for (const key of [...before, 'Control+A']) await page.keyboard.press(key);
      await page.keyboard.type(text);
      const { status } = await answerTo(() => page.keyboard.press('Control+Enter'));
      expect([operation, status]).toEqual([operation, 400]);
      expect(faults.splice(0)).toEqual([expect.stringContaining('400')]);
      for (const key of after) await page.keyboard.press(key);
      await tabTo('section[aria-label="Response"] .cm-scroller');
      await close();
    }
    await openAnew();
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
    const event = page.locator('#events li', { hasText: `evt_${body.id}_ready` });
    await event.locator('summary').click();
    const shown = JSON.parse(await event.locator('pre').innerText());
    expect(shown).toMatchObject({
      type: 'sandbox.ready',
      data: { ...body, status: 'ready', updated: expect.any(String) },
    });
    expect(shown).toHaveProperty('request_id');
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
    const mail = { exclude: [['iframe']] };
    expect(await violations(page, phone, mail)).toEqual([]);
    expect(await violations(page, laptop, mail)).toEqual([]);

    await page.getByRole('button', { name: 'Back' }).click();
    await fetch(`${file.mailbox}/clear-store`, { method: 'POST' });
    await row.getByRole('button', { name: 'Read the e-mail' }).click();
    await page.getByText('The mailbox no longer has this e-mail.').waitFor();
    expect(faults.splice(0)).toEqual([expect.stringContaining('404')]);
    await page.getByRole('button', { name: 'Back' }).click();
    await row.waitFor();
  });

  test('takes a click on a row though the list changes while the button is pressed', async () => {
    const create = async (name: string) => {
      const intent = { token: file.tokens.live, body: { name } };
      const { body } = await sendRequest(`${file.url}/v1/sandboxes`, 'POST', intent);
      return rowOf(body.id);
    };
    const row = await create('Pressed');
    const summary = row.locator('summary');
    await summary.hover();
    await page.mouse.down();
    const other = await create('While another one is pressed');
    // The page shows it only then, or loses the click.
    await Promise.race([other.waitFor(), sleep(2000)]);
    await page.mouse.up();
    await row.locator('details[open]').waitFor({ timeout: 30_000 });
    await summary.click();
    await other.waitFor();
  });

  test('follows the color scheme that is chosen in the reference', async () => {
    const scheme = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme');
    const toggle = frame.getByRole('button', { name: /^Set (dark|light) mode$/ });
    expect(await scheme()).toBe('light dark');
    await toggle.click();
    await expect.poll(scheme).toBe('dark');
    expect(await frame.locator('body').getAttribute('class')).toContain('dark-mode');
    await toggle.click();
    await expect.poll(scheme).toBe('light');
    await page.evaluate('localStorage.removeItem("colorMode"), followScheme()');
  });

  test('counts dead letters', async () => {
    const { endpoints, queues } = file;
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

  test('keeps the answer to a very long line in sight', async () => {
    for (const viewport of [laptop, phone]) {
      await page.setViewportSize(viewport);
      await testRequest('createSandbox');
      await dialog()
        .locator('.cm-content')
        .first()
        .fill(JSON.stringify({ ['member'.repeat(300)]: 0 }));
      await answerTo(() => dialog().getByRole('button', { name: 'Send' }).first().click());
      expect(faults.splice(0)).toEqual([expect.stringContaining('400')]);
      for (const part of [
        dialog().getByText('400 ').first(),
        dialog().getByRole('button', { name: 'Send' }).first(),
        dialog().getByRole('button', { name: 'Close Client' }).first(),
      ]) {
        const { x, width } = (await part.boundingBox()) ?? { x: -1, width: 0 };
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x + width).toBeLessThanOrEqual(viewport.width);
      }
      await close();
    }
    await openAnew();
  });

  test('returns to the place and the token when it is reloaded', async () => {
    await page.getByLabel('Token').selectOption('test');
    await controls('resendOffer').link.dispatchEvent('click');
    await expect.poll(() => frame.url()).toContain(routes.resendOffer.path);
    const { hash } = new URL(frame.url());

    await page.reload();

    await expect.poll(() => page.frame({ name: 'reference' })?.url()).toContain(hash);
    frame = page.frame({ name: 'reference' }) ?? frame;
    await controls('resendOffer').button.waitFor();
    expect(new URL(frame.url()).hash).toBe(hash);
    expect(await page.getByLabel('Token').locator('option:checked').innerText()).toBe('test');
    await page.getByLabel('Token').selectOption('live');
  });

  test('has no fault for axe in an open request', async () => {
    await send('approvePaymentRequest');
    const opened = { include: [{ fromFrames: ['iframe', '[role="dialog"]'] }] };
    for (const viewport of [phone, laptop]) {
      expect(await violations(page, viewport, opened)).toEqual([]);
      const sending = await dialog().getByRole('button', { name: 'Send' }).first().boundingBox();
      expect((sending?.x ?? 0) + (sending?.width ?? 0)).toBeLessThanOrEqual(viewport.width);
    }
    await close();
  });

  test('says when the API is down, and when the whole run has stopped', async () => {
    const live = new LiveState();
    const { url, stop } = await startReference({ api: await closedPort(), mailbox: '', live });
    const toDownApi = (route: Route) => {
      const { pathname, search } = new URL(route.request().url());
      return route.continue({ url: `${url}${pathname}${search}` });
    };
    await page.route('**/v1/**', toDownApi);
    const { status, body } = await send('listSandboxes');
    expect([status, body.title]).toEqual([502, 'The API does not answer']);
    expect(faults.splice(0)).toEqual([expect.stringContaining('502')]);
    await close();
    await page.unroute('**/v1/**', toDownApi);

    const other = await browser.newPage();
    other.setDefaultTimeout(0);
    await other.goto(url, { waitUntil: 'domcontentloaded' });
    await other.getByText('Running').waitFor();
    await stop();
    await other.getByRole('alert').getByText('The local run has stopped').waitFor();
    await other.close();
  });
});
