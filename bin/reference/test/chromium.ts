import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';

/** Where Debian's package and Chrome's own put it, unless `CHROMIUM` names a place. */
const { CHROMIUM } = process.env;
const places = CHROMIUM ? [CHROMIUM] : ['/usr/bin/chromium', '/usr/bin/google-chrome'];

const executablePath = places.find((place) => existsSync(place));

/** Why the browser tests cannot run, if they cannot. */
export const missing = executablePath
  ? undefined
  : 'There is no Chromium: install the package chromium, or name one with CHROMIUM.';

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath, timeout: 0 });

export const laptop = { width: 1280, height: 800 };
export const phone = { width: 390, height: 844 };

/**
 * Opens a page in a browser that reaches its origin and no other.
 *
 * @returns with `faults`: requests to another origin and errors, also on the console
 */
export const openPage = async (
  browser: Browser,
  url: string,
  view: BrowserContextOptions = { viewport: laptop },
) => {
  const context = await browser.newContext(view);
  // The test's own timeout ends what takes too long.
  context.setDefaultTimeout(0);
  const faults: string[] = [];
  await context.route('**', (route) => {
    if (new URL(route.request().url()).origin === new URL(url).origin) return route.continue();
    faults.push(`requested ${route.request().url()}`);
    return route.abort();
  });
  context.on('weberror', (error) => faults.push(String(error.error())));
  context.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('#reference').getByRole('heading', { name: 'Workforce Payments' }).waitFor();
  return { page, faults };
};
