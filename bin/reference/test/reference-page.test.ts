import { execFileSync } from 'node:child_process';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { OperationId } from '../../../functions/contract/operation.ts';
import { routes } from '../../../functions/domain/routes.ts';
import { offerMessage } from '../../../functions/mail/offer-message.ts';
import { operationAnchor, tagAnchor, tagGroupAnchor } from '../../../lib/openapi/anchors.ts';
import type { OpenapiDocument } from '../../../lib/openapi/document.ts';
import { operationIds } from '../../../lib/openapi/operations.ts';
import { offerRecord } from '../../../test/support/records.ts';
import { serverOf } from '../../../test/support/servers.ts';
import { warnOfSkipping } from '../../../test/support/skipping.ts';
import { type LocalRun, startLocalRun } from '../../../test/support/start-local-run.ts';
import { putRecordCommand } from '../../local-run/put-record-command.ts';
import type { StackFile } from '../../stack-file/stack-file.ts';
import { pageFiles } from '../page-files.ts';
import { startReference } from '../start-reference.ts';
import { violations } from './accessibility.ts';
import { launchChromium, missing, openPage, phone } from './chromium.ts';

warnOfSkipping('The reference page is', missing);

test('the page sends a request that gets 503 once', async () => {
  let requests = 0;
  const api = await serverOf((_, response) => {
    requests += 1;
    response.writeHead(503, { 'Retry-After': '0' }).end();
  });
  const page = await startReference({ api, mailbox: api, snapshot: () => ({}) });
  onTestFinished(page.stop);
  expect((await fetch(`${page.url}/v1/sandboxes`)).status).toBe(503);
  expect(requests).toBe(1);
  expect((await fetch(`${page.url}/openapi.json`)).status).toBe(200);
  expect((await fetch(`${page.url}/package.json`)).status).toBe(404);
});

test('the links of the contract and of the panel name sections of the page', async () => {
  const { 'openapi.json': contract = '', 'index.html': panel = '' } = await pageFiles('');
  const { tags, 'x-tagGroups': groups }: OpenapiDocument = JSON.parse(contract);
  const sections = [
    ...tags.map(({ name }) => tagAnchor(name)),
    ...groups.map(({ name }) => tagGroupAnchor(name)),
    ...operationIds.map(operationAnchor),
  ];
  const links = `${contract}${panel}`.matchAll(/(?:\]\(|href=")(#[^)"]+)/g);
  const named = new Set(Array.from(links, ([, link]) => link));
  expect(named.size).toBeGreaterThan(5);
  expect([...named].filter((link) => !sections.includes(link ?? ''))).toEqual([]);
});

// A browser on a starved machine can miss an event of the page: one more try distinguishes that
// from a fault. The last test stops the run that the others share.
describe.skipIf(missing)('The page of the local run', { retry: 1, shuffle: false }, () => {
  let browser: Browser;
  let run: LocalRun;
  let file: StackFile;
  // To open the page takes seconds, so the tests share one.
  let page: Page;
  let faults: string[];

  beforeAll(async () => {
    run = startLocalRun();
    [browser, file] = await Promise.all([launchChromium(), run.welcomed()]);
    ({ page, faults } = await openPage(browser, file.reference));
  });
  afterAll(async () => {
    await browser?.close();
    await run?.stop();
  });

  const dialog = () => page.getByRole('dialog', { name: 'API Client' });

  /** Closes the request of an operation. */
  const close = async () => {
    const pressEscape = async () => {
      await page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'hidden', timeout: 500 });
      return 'closed';
    };
    // While the page renders a response, it ignores the key.
    await expect.poll(pressEscape).toBe('closed');
  };

  /** Opens the request of an operation. */
  const testRequest = async (operation: OperationId) => {
    const { method, path } = routes[operation];
    const link = page.locator(`a[href$="/${method}${path}"]`).first();
    // By its class: to look for a role and a name in a page this long takes Playwright seconds.
    const button = page.locator('.show-api-client-button', {
      hasText: `Test Request(${method.toLowerCase()} ${path})`,
    });
    // On a phone the navigation is behind a menu. A click that comes before the page is hydrated is
    // lost; on a busy machine one can take effect after its call has given up.
    const clickThrough = async () => {
      if (await dialog().isVisible()) return 'clicked';
      await link.dispatchEvent('click');
      await button.click({ timeout: 10_000 });
      return 'clicked';
    };
    await expect.poll(clickThrough).toBe('clicked');
    await dialog().waitFor();
  };

  /** Sends the request as it is filled in; reads what was sent and the response. */
  const send = async () => {
    const responded = page.waitForResponse((response) => response.url().includes('/v1/'));
    await dialog().getByRole('button', { name: 'Send' }).first().click();
    const response = await responded;
    await dialog().getByText(`${response.status()} `).first().waitFor();
    return {
      url: response.url(),
      status: response.status(),
      body: await response.json(),
      key: response.request().headers()['idempotency-key'],
      replayed: response.headers()['idempotent-replayed'],
    };
  };

  test('sends the key and the address that it shows, and shows a replay', async () => {
    await testRequest('approvePaymentRequest');
    const first = await send();
    expect(first).toMatchObject({ status: 200, replayed: undefined });
    expect(await dialog().innerText()).toContain(first.key);
    expect(await dialog().innerText()).toContain(new URL(first.url).origin);
    expect(await send()).toEqual({ ...first, replayed: 'true' });
    await dialog().getByText('idempotent-replayed', { exact: false }).first().waitFor();
    await close();
    await testRequest('approvePaymentRequest');
    expect((await send()).key).not.toBe(first.key);
    await close();
    expect(faults).toEqual([]);
  });

  test('sends the token that is chosen, and shows the error', async () => {
    await page.locator('#token').selectOption('no scopes');
    await testRequest('resendOffer');
    const { status, body } = await send();
    expect([status, body.code]).toEqual([403, 'insufficient_scope']);
    expect(faults.splice(0)).toEqual([expect.stringContaining('403')]);
    await close();
    await page.locator('#token').selectOption('live');
  });

  test('shows a sandbox until it is ready, with its request and its event', async () => {
    await testRequest('createSandbox');
    const { body } = await send();
    // The panel stays beside the open request.
    const row = page.locator(`[id="${body.id}"]`);
    await row.getByText('ready', { exact: true }).waitFor();
    await close();
    await row.locator('summary').click();
    await row.getByText('POST /v1/sandboxes 201').waitFor();
    expect(await row.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('provisioning'),
      expect.stringContaining('ready'),
    ]);
    const event = page.locator(`[id="evt_${body.id}_ready"]`);
    await event.locator('summary').click();
    const shown = JSON.parse(await event.locator('pre').innerText());
    const data = { ...body, status: 'ready', updated: expect.any(String) };
    expect(shown).toMatchObject({ type: 'sandbox.ready', data });
  });

  test('shows the attempt to send an offer, and its e-mail', async () => {
    await testRequest('resendOffer');
    const { body } = await send();
    await close();
    const row = page.locator(`[id="${body.delivery.last_attempt.id}"]`);
    await row.getByText('sent', { exact: true }).waitFor();
    await row.locator('summary').click();
    await row.getByRole('button', { name: 'Read the e-mail' }).click();
    const { subject, text } = offerMessage({ id: body.id, company: 'Demo', url: undefined });
    const mail = page.getByRole('dialog', { name: subject });
    await mail.getByText(text.split('\n').at(-1) ?? '').waitFor();
    await mail.getByRole('button', { name: 'Close' }).click();
  });

  test('shows what became of a record that was put into its queue, and who sent it', async () => {
    const put = (workspace: string) => {
      const offer = offerRecord({ status: 'sent' });
      const message = { workspace, version: 1, offer, send: true };
      const curl = putRecordCommand(file.endpoints.sqs, `${file.queues.import?.url}`, message);
      execFileSync('bash', ['-c', curl], { stdio: 'pipe' });
      return page.locator('details', { hasText: offer.id });
    };
    const created = put(file.workspaces.live);
    const isIn = (list: string) => created.and(page.locator(`#${list} details`));
    await isIn('records').getByText('created', { exact: true }).waitFor();
    await isIn('deliveries').locator('summary').click();
    await isIn('deliveries').getByText('By sender:000000000000, request id ').waitFor();
    const refused = put('wsp_unknown');
    await refused.locator('summary').click();
    await refused.getByText('There is no such workspace.').waitFor();
  });

  test('has a panel in place of the reference on a phone, and no fault for axe', async () => {
    await page.setViewportSize(phone);
    await testRequest('createSandbox');
    await send();
    await close();
    await page.getByRole('button', { name: /^Behind the queue · \d+$/ }).click();
    expect(await violations(page, phone, [['#bar'], ['#panel']])).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await page.locator('#sandboxes summary').first().waitFor();
    await page.getByRole('button', { name: 'Behind the queue' }).click();
    expect(await page.locator('#panel').isVisible()).toBe(false);
  });

  test('says when the run has stopped', async () => {
    await run.stop();
    await page.getByRole('alert').getByText('The local run has stopped').waitFor();
  });
});
