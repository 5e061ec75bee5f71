import type { Frame, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/**
 * Renders every section, which happens when it comes near, and opens one of each thing that is
 * closed.
 */
export const openAll = async (frame: Frame): Promise<void> => {
  await frame.evaluate(`(async () => {
    for (;;) {
      const next = document.querySelector('div[id*="/"]:empty');
      if (!next) break;
      next.scrollIntoView();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })()`);
  for (const end of ['approve.responses.200', 'approve.responses.400', 'models/Offer']) {
    const button = frame.locator(`button[aria-expanded][id$="${end}"]`).first();
    // A click that comes before the page is hydrated is lost.
    const expand = async () => {
      const isExpanded = (await button.getAttribute('aria-expanded')) === 'true';
      if (!isExpanded) await button.dispatchEvent('click');
      return isExpanded;
    };
    await expect.poll(expand).toBe(true);
  }
};

/** The rules of our style sheet that match nothing on the page, in either colour scheme. */
export const unusedRules = (frame: Frame): Promise<string[]> =>
  frame.evaluate(`(() => {
    const [sheet] = [...document.styleSheets].filter(({ href }) => href?.endsWith('/reference.css'));
    const styles = [...sheet.cssRules].flatMap((rule) => (rule.media ? [...rule.cssRules] : rule));
    return styles
      .map(({ selectorText }) => selectorText)
      .filter((selector) => !document.querySelector(selector.replace('dark-mode', 'light-mode')));
  })()`);

/** Closes the request of an operation. */
export const closeRequest = async (page: Page, dialog: Locator): Promise<void> => {
  const isHiddenAfterEscape = async () => {
    await page.keyboard.press('Escape');
    return dialog.waitFor({ state: 'hidden', timeout: 500 }).then(
      () => true,
      () => false,
    );
  };
  // While the page renders a response, it ignores the key.
  await expect.poll(isHiddenAfterEscape).toBe(true);
};
