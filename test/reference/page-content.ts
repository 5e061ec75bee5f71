import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Frame, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { waitUntil } from '../support/wait-until.ts';

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
    await waitUntil(async () => {
      const isExpanded = (await button.getAttribute('aria-expanded')) === 'true';
      if (!isExpanded) await button.dispatchEvent('click');
      return isExpanded;
    });
  }
};

/** Words, or parts of identifiers between separators, that begin on one line and end on another. */
export const brokenWords = (frame: Frame): Promise<string[]> =>
  frame.evaluate(`(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const broken = [];
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (!text.parentElement.checkVisibility({ visibilityProperty: true })) continue;
      for (const { 0: word, index } of text.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const lines = [...range.getClientRects()].filter(({ width }) => width > 0);
        if (new Set(lines.map(({ top }) => Math.round(top))).size > 1) broken.push(text.data);
      }
    }
    return broken;
  })()`);

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
  // While the page renders an answer, it ignores the key.
  await expect.poll(isHiddenAfterEscape).toBe(true);
};

/** How far below the top of the window it is once it has stopped moving. */
const restingPlace = async (section: Locator): Promise<number> => {
  const place = async () => (await section.boundingBox())?.y ?? Infinity;
  for (let before = Number.NaN; ; ) {
    const now = await place();
    if (now === before) return now;
    before = now;
    await sleep(100);
  }
};

/** Follows every link of the document's descriptions to one of its sections. */
export const followCrossReferences = async (frame: Frame): Promise<void> => {
  const document = readFileSync('openapi.json', 'utf8');
  const links = [...document.matchAll(/\[`?([^[\]`]+)`?\]\((#[^)]+)\)/g)];
  expect(links).not.toEqual([]);
  // What only looks like a reference.
  expect(await frame.locator('.markdown em').count()).toBe(0);
  for (const [anchor, name] of new Map(links.map(([, name, anchor = '']) => [anchor, name]))) {
    const link = frame.locator(`.markdown a[href="${encodeURI(anchor)}"]`).first();
    const section = frame.locator(`.references-rendered [id$="/${anchor.slice(1)}"]`).first();
    // On a busy machine, sections above may be rendered after the page has scrolled.
    const fromTopAfterClick = async () => {
      await link.click();
      return Math.abs(await restingPlace(section));
    };
    await expect.poll(fromTopAfterClick).toBeLessThan(200);
    // A group has no heading.
    if (!anchor.startsWith('#tag-group/')) expect(await section.innerText()).toContain(name);
  }
};
