import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian's package and Chrome's own put it; `CHROMIUM` names another. */
const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome'];

const executablePath = places.find((place) => place && existsSync(place));

/** Why the browser tests cannot run, if they cannot. CI installs a browser, so there it is a fault. */
export const missing = executablePath
  ? undefined
  : 'There is no Chromium: install the package chromium, or name one with CHROMIUM.';
if (missing && process.env.CI) throw new Error(missing);
if (missing) console.warn(`The reference page is not tested. ${missing}`);

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath, timeout: 0 });
