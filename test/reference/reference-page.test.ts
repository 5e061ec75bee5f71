import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startReference } from '../../bin/reference/start-reference.ts';
import { closedPort } from '../support/servers.ts';
import { launchChromium, missing } from './chromium.ts';
import { type LocalRun, startLocalRun } from './local-run.ts';

const laptop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

describe.skipIf(missing)('The reference page', () => {
  let browser: Browser;
  let run: LocalRun;

  beforeAll(async () => {
    [browser, run] = await Promise.all([launchChromium(), startLocalRun()]);
  });
  afterAll(async () => {
    await browser?.close();
    await run?.stop();
  });

  /** Opens a page of a browser that reaches these addresses, and no other; nothing may go wrong in it. */
  const open = async (url: string, viewport = laptop, ...others: string[]): Promise<Page> => {
    const context = await browser.newContext({ viewport });
    // The test's own timeout ends what takes too long.
    context.setDefaultTimeout(0);
    const faults: string[] = [];
    await context.route('**', (route) => {
      const { origin } = new URL(route.request().url());
      if ([url, ...others].includes(origin)) return route.continue();
      faults.push(`asked for ${route.request().url()}`);
      return route.abort();
    });
    context.on('weberror', (error) => faults.push(String(error.error())));
    context.on('console', (message) => {
      // What the page's own policy forbids never becomes a request; it is told here.
      if (message.text().includes('Content Security Policy')) faults.push(message.text());
    });
    onTestFinished(async () => {
      await context.close();
      expect(faults).toEqual([]);
    });
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };

  const openOperation = async (page: Page, name: string): Promise<Locator> => {
    const operation = page.locator('.opblock', {
      has: page.locator('.opblock-summary-description', { hasText: name }),
    });
    await operation.locator('.opblock-summary-control').click();
    return operation;
  };

  /** Presses the button, and reads what the page then shows. */
  const execute = async (operation: Locator) => {
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table tbody');
    return {
      status: Number.parseInt(await answer.locator('.response-col_status').innerText(), 10),
      body: JSON.parse(await answer.locator('.highlight-code pre').innerText()),
    };
  };

  const rowOf = (page: Page, text: string) =>
    page.getByRole('complementary', { name: 'Behind the queue' }).locator('li', { hasText: text });

  test('is where npm start says', () => {
    expect(run.output).toContain(`Reference  ${run.file.reference}`);
  });

  test('approves a payment request', async () => {
    const page = await open(run.file.reference);
    const operation = await openOperation(page, 'Approve a payment request');

    expect(await execute(operation)).toMatchObject({
      status: 200,
      body: { id: 'ptr_pending', status: 'approved' },
    });
  });

  test('creates a sandbox, shows it turn ready, and lists it', async () => {
    const page = await open(run.file.reference);
    const operation = await openOperation(page, 'Create a sandbox');
    await operation.getByRole('textbox').last().fill('{ "name": "Seen from the page" }');

    const { status, body } = await execute(operation);

    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'provisioning' } });
    await rowOf(page, body.id).getByText('ready', { exact: true }).waitFor();
    expect(await rowOf(page, body.id).innerText()).toContain('Seen from the page');

    const list = await execute(await openOperation(page, 'List sandboxes'));
    expect(list.status).toBe(200);
    expect(list.body.sandboxes).toContainEqual(expect.objectContaining({ id: body.id }));
  });

  test('sends an offer again, shows the attempt, and leads to the mail', async () => {
    const page = await open(run.file.reference, laptop, run.file.mailbox);

    const { status, body } = await execute(await openOperation(page, 'Send an offer again'));

    expect({ status, body }).toMatchObject({ status: 200, body: { id: 'ofr_sent' } });
    await rowOf(page, body.delivery.last_attempt.id).getByText('sent', { exact: true }).waitFor();
    const [mailbox] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('navigation').getByRole('link', { name: 'Mailbox' }).click(),
    ]);
    await mailbox.getByText(body.recipient_email).first().waitFor();
    expect(new URL(mailbox.url()).origin).toBe(run.file.mailbox);
  });

  test('counts dead letters', async () => {
    const { endpoints, queues } = run.file;
    const page = await open(run.file.reference);
    const row = page.getByRole('row', { name: /^outbox/ });
    await row.getByRole('cell', { name: '0', exact: true }).waitFor();

    await new SQSClient({ endpoint: endpoints.sqs }).send(
      new SendMessageCommand({ QueueUrl: queues.outbox?.deadLetters, MessageBody: '{}' }),
    );

    await row.getByRole('cell', { name: '1', exact: true }).waitFor();
    await page.getByText('npm run admin -- dead-letters list').waitFor();
  });

  test('shows one view at a time on a phone, and what is new in the other', async () => {
    const page = await open(run.file.reference, phone);
    const live = page.getByRole('complementary', { name: 'Behind the queue' });
    const { body } = await execute(await openOperation(page, 'Create a sandbox'));
    expect(await live.isVisible()).toBe(false);

    await page.getByRole('button', { name: /^Behind the queue.* new$/ }).click();

    await rowOf(page, body.id).waitFor();
    expect(await page.getByRole('main').isVisible()).toBe(false);
  });

  test.for([laptop, phone])('is no wider than a screen of $width pixels', async (viewport) => {
    const page = await open(run.file.reference, viewport);
    await page.locator('.opblock').first().waitFor();
    for (const control of await page.locator('.opblock-summary-control').all()) {
      await control.click();
    }
    await page.getByRole('button', { name: 'Execute' }).last().waitFor();

    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
  });

  test('leads from an empty list to the operation that fills it', async () => {
    const { url, stop } = await startReference({ api: run.file.url, mailbox: '', queues: {} });
    onTestFinished(stop);
    const page = await open(url, phone);
    await page.locator('.opblock').first().waitFor();
    // Whether the list is empty is up to the other tests; its link is there in any case.
    await page.locator('[data-operation=resendOffer]').dispatchEvent('click');

    await page.locator('.opblock.is-open', { hasText: 'Send an offer again' }).waitFor();
    expect(await page.locator('.opblock.is-open').count()).toBe(1);
  });

  test('says when the API is down, and when the whole run has stopped', async () => {
    const { url, stop } = await startReference({
      api: await closedPort(),
      mailbox: '',
      queues: {},
    });
    const page = await open(url);
    const alarm = page.getByRole('alert');
    await alarm.getByText('The API does not answer').waitFor();

    const { status, body } = await execute(await openOperation(page, 'List sandboxes'));
    expect({ status, body }).toMatchObject({
      status: 502,
      body: { title: 'The API does not answer' },
    });

    await stop();
    await alarm.getByText('The local run has stopped').waitFor();
  });
});
